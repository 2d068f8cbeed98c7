// The browser's part of a consent: our address, the callback, the built-in user check.
import type { Actor } from "../audit";
import type { Core } from "../core";
import {
  type Connections,
  exchangeCode,
  RefusedGrantError,
  type TokenGrant,
  TokenRequestError,
} from "../connections";
import { hashOf, newToken, sameSecret } from "../crypto";
import type { Limits } from "../limits";
import type { Provider, Providers } from "../providers";
import { providerAddress } from "./address";
import {
  expiryReason,
  checkIssuer,
  checkHasCallback,
  checkProvider,
  errorReason,
  changeReason,
  checkBrowser,
  parseCallback,
} from "./callback/checks";
import { Finish, type FinishParts } from "./finish";
import { browserOf, type Exchange, formCheckOf, openExchange, OTHER_ACCOUNT } from "./flow";
import { KeyConsent } from "./keys";
import { openingOf } from "./opening";
import { OTHER_BROWSER, type Outcome, UNKNOWN_ADDRESS, UNKNOWN_STATE, USED_STATE } from "./outcome";
import * as repository from "./repository";
import type { FlowRow } from "./repository";
import { type CheckParts, UserChecks } from "./checks";
import type { SignedInAs, Visitor } from "./visitor";
import { CustomVerifier } from "./verifier";

export interface ConsentParts extends FinishParts, CheckParts {
  limits: Limits;
}

export class Consent {
  readonly #core: Core;
  readonly #providers: Providers;
  readonly #connections: Connections;
  readonly #finish: Finish;
  readonly #checks: UserChecks;
  readonly verifier: CustomVerifier;
  /** The page for users' own keys. */
  readonly keys: KeyConsent;

  constructor(core: Core, parts: ConsentParts) {
    this.#core = core;
    this.#providers = parts.providers;
    this.#connections = parts.connections;
    this.#finish = new Finish(core, parts);
    this.verifier = new CustomVerifier(core, this.#finish, parts.limits, parts.audit);
    this.#checks = new UserChecks(core, { ...parts, finish: this.#finish, verifier: this.verifier });
    this.keys = new KeyConsent(core, parts.providers, {
      finish: this.#finish,
      checkUser: (flow, provider, grant, visitor) => this.#checkUser(flow, provider, grant, visitor),
      resume: (flow, token, cookie, visitor) => this.#resume(flow, token, cookie, visitor),
    });
  }

  /** Revokes grants that no connection holds, also those of expired flows, until the signal aborts. */
  revokeUnusedGrants(signal: AbortSignal): Promise<void> {
    return this.#connections.revocations.work(signal, () => this.#finish.failExpired());
  }

  /**
   * Opens our address: binds the flow to this browser (with a new cookie if it has none) and redirects to the provider.
   * If another browser opens the address, the state of the earlier one becomes invalid.
   */
  async open(
    token: string,
    cookie: string | undefined,
    address?: string,
    signedInAs?: SignedInAs,
  ): Promise<Outcome> {
    const { store, clock, random } = this.#core;
    const browser = cookie ?? newToken(random);
    for (let attempt = 0; attempt < 5; attempt++) {
      const flow = await repository.findFlowByAddress(store, hashOf(token));
      if (flow === undefined) return UNKNOWN_ADDRESS;
      const ended = this.#finish.ended(flow);
      if (ended !== undefined) return ended;
      const by = browserOf(flow, address);
      if (flow.used_at !== null) return this.#resume(flow, token, cookie, { by, signedInAs });
      const provider = await this.#providers.find(flow.project_id, flow.provider_id ?? "");
      const stale = provider === undefined ? "the auth provider was deleted" : changeReason(flow, provider);
      if (provider === undefined || stale !== undefined) return this.#finish.fail(flow, stale ?? "", by);
      const { exchange, opening } = await openingOf(this.#core, flow, {
        provider,
        browser,
        now: clock.now(),
      });
      if (opening !== undefined && !(await store.write(() => repository.openFlow(flow, opening)))) continue;
      if (provider.apiKey !== undefined) return this.keys.page(flow, exchange, browser);
      return {
        kind: "redirect",
        location: await this.#providerAddress(flow, provider, exchange),
        cookie: browser,
      };
    }
    return UNKNOWN_STATE;
  }

  /** The callback of the provider. */
  async callback(
    externalId: string,
    query: URLSearchParams,
    cookie: string | undefined,
    address?: string,
    signedInAs?: SignedInAs,
  ): Promise<Outcome> {
    const parameters = parseCallback(query);
    if (!("state" in parameters)) return parameters;
    const { store, clock } = this.#core;
    const provider = await this.#providers.findByExternalId(externalId);
    const flow = await repository.findFlowByState(store, hashOf(parameters.state));
    const wrongProvider = checkProvider(flow, provider) ?? checkHasCallback(provider);
    if (wrongProvider !== undefined || flow === undefined || provider === undefined)
      return wrongProvider ?? UNKNOWN_STATE;
    const refused = checkBrowser(flow, cookie) ?? checkIssuer(provider, parameters.all);
    if (refused !== undefined) return refused;
    const ended = this.#finish.ended(flow);
    if (ended !== undefined) return flow.used_at === null ? ended : USED_STATE;
    // Browsers repeat slow requests. The first one continues, the second shows the current step.
    // The code can be exchanged once, so there must be room for the grant.
    await store.reserve();
    const first = await store.write(() => repository.useState(flow, clock.now()));
    const by = browserOf(flow, address);
    const visitor = { by, signedInAs };
    if (!first) return this.#resume(flow, undefined, cookie, visitor);

    const reason =
      expiryReason(flow, clock.now()) ??
      changeReason(flow, provider) ??
      errorReason(parameters.all, provider.oauth2.callbackErrors);
    if (reason !== undefined) return this.#finish.fail(flow, reason, by);
    const grant = await this.#exchange(flow, provider, parameters.all, by);
    return "accessToken" in grant ? this.#checkUser(flow, provider, grant, visitor) : grant;
  }

  /** The answer on our page, whether this is the right user. */
  async confirm(
    token: string,
    check: string,
    agrees: boolean,
    cookie: string | undefined,
    address?: string,
  ): Promise<Outcome> {
    const flow = await repository.findFlowByAddress(this.#core.store, hashOf(token));
    if (flow === undefined) return UNKNOWN_ADDRESS;
    const wrongBrowser = checkBrowser(flow, cookie);
    if (wrongBrowser !== undefined) return wrongBrowser;
    const ended = this.#finish.ended(flow);
    if (ended !== undefined) return ended;
    const exchange = await openExchange(this.#core, flow);
    if (
      exchange === undefined ||
      flow.sealed_grant === null ||
      !sameSecret(check, formCheckOf(exchange, "confirm"))
    ) {
      return UNKNOWN_STATE;
    }
    // If another check is configured, our page must not bypass it.
    if ((await this.#checks.of(flow))?.kind !== "page") return UNKNOWN_STATE;
    const by = browserOf(flow, address);
    if (!agrees) return this.#finish.fail(flow, OTHER_ACCOUNT, by);
    return this.#finish.completeHeld(flow, by);
  }

  async #exchange(
    flow: FlowRow,
    provider: Provider,
    parameters: URLSearchParams,
    by: Actor,
  ): Promise<TokenGrant | Outcome> {
    const exchange = await openExchange(this.#core, flow);
    if (exchange === undefined) return UNKNOWN_STATE;
    const { state, verifier } = exchange;
    await this.#connections.revocations.wait(flow.project_id, flow.user_id, provider.id);
    try {
      return await exchangeCode(this.#core, provider, await this.#providers.clientKeys(provider), {
        parameters,
        state,
        verifier: verifier ?? undefined,
        values: await this.#scopesOf(flow, provider),
      });
    } catch (error) {
      if (!(error instanceof TokenRequestError)) throw error;
      this.#core.log.warn("code exchange failed", { authorization: flow.id, provider: provider.id, error });
      return error instanceof RefusedGrantError
        ? this.#finish.refuse(flow, provider, error, by)
        : this.#finish.fail(flow, error.message, by);
    }
  }

  /** The scopes of the authorization request, for the templates of the token request. */
  async #scopesOf(flow: FlowRow, provider: Provider) {
    const state = await this.#connections.state(flow.project_id, flow.user_id, provider);
    const requested: string[] = JSON.parse(flow.scopes);
    const { scopeDelimiter } = provider.oauth2;
    return {
      scopes: requested.join(scopeDelimiter),
      existing_scopes: (state?.scopes ?? []).join(scopeDelimiter),
    };
  }

  /** Holds the grant and starts the user check, unless the customer has disabled it. */
  async #checkUser(flow: FlowRow, provider: Provider, grant: TokenGrant, visitor: Visitor): Promise<Outcome> {
    const check = await this.#checks.of(flow).catch(async (error: unknown) => {
      // The browser comes back to the grant.
      await this.#finish.hold(flow, provider, grant);
      throw error;
    });
    // The page for keys asks what the page of the user check would ask.
    const isAsked = check?.kind === "page" && provider.apiKey !== undefined;
    if (check?.kind === "none" || isAsked) return this.#finish.complete(flow, provider, grant, visitor.by);
    const held = await this.#finish.hold(flow, provider, grant);
    return "kind" in held ? held : this.#checks.start(held, check, visitor);
  }

  /** After the callback, the browser of the flow continues with the user check. Other browsers are refused. */
  async #resume(
    flow: FlowRow,
    token: string | undefined,
    cookie: string | undefined,
    visitor: Visitor,
  ): Promise<Outcome> {
    const current = await repository.findFlowByState(this.#core.store, flow.state_hash ?? "");
    if (current === undefined || checkBrowser(current, cookie) !== undefined) {
      return token === undefined ? UNKNOWN_STATE : OTHER_BROWSER;
    }
    const ended = this.#finish.ended(current);
    if (ended !== undefined) return ended;
    return current.sealed_grant === null
      ? UNKNOWN_STATE
      : this.#checks.start(current, await this.#checks.of(current), visitor);
  }

  async #providerAddress(flow: FlowRow, provider: Provider, exchange: Exchange): Promise<string> {
    const state = await this.#connections.state(flow.project_id, flow.user_id, provider);
    return providerAddress({
      provider,
      scopes: JSON.parse(flow.scopes),
      granted: state?.scopes ?? [],
      state: exchange.state,
      verifier: exchange.verifier ?? undefined,
    });
  }
}
