// The browser's side of a consent: our address, the callback, the built-in user check.
import * as oauth from "oauth4webapi";
import type { Core } from "../core";
import { type Connections, exchangeCode, type TokenGrant, TokenRequestError } from "../connections";
import { hashOf, newToken, sameSecret } from "../crypto";
import { RuntimeError } from "../errors";
import type { OpenIdIssuer, Principal } from "../identity";
import type { Provider, Providers } from "../providers";
import type { SessionSettings } from "../settings";
import { providerAddress } from "./address";
import {
  inTime,
  ownIssuer,
  ownProvider,
  providerError,
  providerUnchanged,
  sameBrowser,
  wellFormed,
} from "./callback/checks";
import { type Exchange, openExchange, sealExchange } from "./exchange";
import { Finish } from "./finish";
import { addressOf, OPENED_MS } from "./flow";
import { OTHER_BROWSER, type Outcome, UNKNOWN_ADDRESS, UNKNOWN_STATE, USED_STATE } from "./outcome";
import * as repository from "./repository";
import type { FlowRow } from "./repository";
import type { ConfirmedUser, ConfirmUser, TestVerifier, VerifierTest } from "./schema";
import { SignIn } from "./sign-in";
import { type UserCheck, userCheckOf } from "./user-check";
import { CustomVerifier } from "./verifier";

export interface ConsentParts {
  providers: Providers;
  connections: Connections;
  settings: SessionSettings;
  issuer: OpenIdIssuer;
}

export class Consent {
  readonly #core: Core;
  readonly #providers: Providers;
  readonly #connections: Connections;
  readonly #settings: SessionSettings;
  readonly #finish: Finish;
  readonly #verifier: CustomVerifier;
  readonly #signIn: SignIn;

  constructor(core: Core, parts: ConsentParts) {
    this.#core = core;
    this.#providers = parts.providers;
    this.#connections = parts.connections;
    this.#settings = parts.settings;
    this.#finish = new Finish(core, parts.providers, parts.connections);
    this.#verifier = new CustomVerifier(core, this.#finish);
    this.#signIn = new SignIn(core, this.#finish, parts.issuer);
  }

  /** The browser comes back from signing in at the OpenID provider. */
  signInCallback(query: URLSearchParams, cookie: string | undefined): Promise<Outcome> {
    return this.#signIn.callback(query, cookie);
  }

  /** The customer's verifier says who sits at the browser. */
  confirmUser(principal: Principal, request: ConfirmUser): Promise<ConfirmedUser> {
    return this.#verifier.confirm(principal, request);
  }

  /** Starts a flow that grants nothing, to try a verifier out. */
  testVerifier(principal: Principal, request: TestVerifier): Promise<VerifierTest> {
    return this.#verifier.test(principal, request);
  }

  /**
   * Our address was opened: binds the flow to this browser (a new cookie when it has none) and sends it on to the
   * provider. Another browser gets a state of its own, and the earlier one stops working.
   */
  async open(token: string, cookie: string | undefined): Promise<Outcome> {
    const { store, clock, random } = this.#core;
    const browser = cookie ?? newToken(random);
    for (let attempt = 0; attempt < 5; attempt++) {
      const flow = await repository.findFlowByAddress(store, hashOf(token));
      if (flow === undefined) return UNKNOWN_ADDRESS;
      const ended = this.#finish.ended(flow);
      if (ended !== undefined) return ended;
      if (flow.used_at !== null) return this.#underway(flow, token, cookie);
      const provider = await this.#providers.find(flow.project_id, flow.provider_id ?? "");
      const stale = provider === undefined ? "the auth provider is gone" : providerUnchanged(flow, provider);
      if (provider === undefined || stale !== undefined) return this.#finish.fail(flow, stale ?? "");
      const { exchange, opening } = await this.#opening(flow, provider, browser, clock.now());
      if (opening !== undefined && !(await store.write(() => repository.openFlow(flow, opening)))) continue;
      return {
        kind: "redirect",
        location: await this.#providerAddress(flow, provider, exchange),
        cookie: browser,
      };
    }
    return UNKNOWN_STATE;
  }

  /** The provider sent the browser back. */
  async callback(externalId: string, query: URLSearchParams, cookie: string | undefined): Promise<Outcome> {
    const parameters = wellFormed(query);
    if (!("state" in parameters)) return parameters;
    const { store, clock } = this.#core;
    const provider = await this.#providers.findByExternalId(externalId);
    const flow = await repository.findFlowByState(store, hashOf(parameters.state));
    const foreign = ownProvider(flow, provider);
    if (foreign !== undefined || flow === undefined || provider === undefined)
      return foreign ?? UNKNOWN_STATE;
    const stranger = sameBrowser(flow, cookie) ?? ownIssuer(provider, parameters.all);
    if (stranger !== undefined) return stranger;
    const ended = this.#finish.ended(flow);
    if (ended !== undefined) return flow.used_at === null ? ended : USED_STATE;
    // Double delivery: browsers repeat a slow request. The first one works on, the second shows how far it is.
    const first = await store.write(() => repository.useState(flow, clock.now()));
    if (!first) return this.#underway(flow, undefined, cookie);

    const stop =
      inTime(flow, clock.now()) ?? providerUnchanged(flow, provider) ?? providerError(parameters.all);
    if (stop !== undefined) return this.#finish.fail(flow, stop);
    const grant = await this.#exchange(flow, provider, parameters.all);
    return "accessToken" in grant ? this.#checkUser(flow, provider, grant) : grant;
  }

  /** The person said on our page that the user is right (or not). */
  async confirm(token: string, check: string, agrees: boolean, cookie: string | undefined): Promise<Outcome> {
    const flow = await repository.findFlowByAddress(this.#core.store, hashOf(token));
    if (flow === undefined) return UNKNOWN_ADDRESS;
    const stranger = sameBrowser(flow, cookie);
    if (stranger !== undefined) return stranger;
    const ended = this.#finish.ended(flow);
    if (ended !== undefined) return ended;
    const exchange = await openExchange(this.#core, flow);
    if (exchange === undefined || flow.sealed_grant === null || !sameSecret(check, checkOf(exchange))) {
      return UNKNOWN_STATE;
    }
    // Our page counts only where it is the check: elsewhere it would be the way around it.
    if ((await this.#userCheck(flow))?.kind !== "page") return UNKNOWN_STATE;
    if (!agrees) return this.#finish.fail(flow, "the person said that this is not their account");
    return this.#finish.completeHeld(flow);
  }

  async #exchange(
    flow: FlowRow,
    provider: Provider,
    parameters: URLSearchParams,
  ): Promise<TokenGrant | Outcome> {
    const exchange = await openExchange(this.#core, flow);
    if (exchange === undefined) return UNKNOWN_STATE;
    const { state, verifier } = exchange;
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
      return this.#finish.fail(flow, error.message);
    }
  }

  /** What the token request's templates may say of scopes, as the provider was asked for them. */
  async #scopesOf(flow: FlowRow, provider: Provider) {
    const state = await this.#connections.state(flow.project_id, flow.user_id, provider);
    const asked: string[] = JSON.parse(flow.scopes);
    const { scopeDelimiter } = provider.oauth2;
    return {
      scopes: asked.join(scopeDelimiter),
      existing_scopes: (state?.scopes ?? []).join(scopeDelimiter),
    };
  }

  /** Who sits at the browser? The grant waits for the answer, unless the customer wants no question. */
  async #checkUser(flow: FlowRow, provider: Provider, grant: TokenGrant): Promise<Outcome> {
    const check = await this.#userCheck(flow);
    if (check?.kind === "none") return this.#finish.complete(flow, provider, grant);
    return this.#ask(await this.#finish.hold(flow, grant), check);
  }

  /** The check that holds now. Undefined: the settings changed since the start, and nothing verifies users any more. */
  async #userCheck(flow: FlowRow): Promise<UserCheck | undefined> {
    const session = await this.#settings.of(flow.project_id);
    try {
      return userCheckOf(this.#core, session);
    } catch (error) {
      if (error instanceof RuntimeError) return undefined;
      throw error;
    }
  }

  /** Asks by the check that holds now, also once more: who comes back to a consent gets around none of them. */
  async #ask(held: FlowRow, check: UserCheck | undefined): Promise<Outcome> {
    if (check === undefined)
      return this.#finish.fail(held, "nothing verifies here any more who gives a consent");
    if (check.kind === "verifier") return this.#verifier.start(held, check.url);
    if (check.kind === "sign_in") return this.#signIn.start(held);
    return check.kind === "page" ? this.#confirmPage(held) : this.#finish.completeHeld(held);
  }

  /** The callback has come: its own browser is led to the user check, another one sees nothing. */
  async #underway(flow: FlowRow, token: string | undefined, cookie: string | undefined): Promise<Outcome> {
    const current = await repository.findFlowByState(this.#core.store, flow.state_hash ?? "");
    if (current === undefined || sameBrowser(current, cookie) !== undefined) {
      return token === undefined ? UNKNOWN_STATE : OTHER_BROWSER;
    }
    const ended = this.#finish.ended(current);
    if (ended !== undefined) return ended;
    return current.sealed_grant === null ? UNKNOWN_STATE : this.#ask(current, await this.#userCheck(current));
  }

  async #confirmPage(flow: FlowRow): Promise<Outcome> {
    const exchange = await openExchange(this.#core, flow);
    const provider = await this.#providers.find(flow.project_id, flow.provider_id ?? "");
    if (exchange === undefined || flow.sealed_address === null) return UNKNOWN_STATE;
    return {
      kind: "confirm",
      userId: flow.user_id,
      provider: provider?.description || provider?.id || "",
      scopes: JSON.parse(flow.scopes),
      // Without the host, so that it stays on the page's own; with the prefix that a proxy in front may want.
      action: new URL(await addressOf(this.#core, flow)).pathname,
      check: checkOf(exchange),
    };
  }

  /** What this browser is sent to the provider with: as before when it opened the flow before, else made anew. */
  async #opening(flow: FlowRow, provider: Provider, browser: string, now: number) {
    const { random } = this.#core;
    const known = flow.browser_hash !== null && sameSecret(hashOf(browser), flow.browser_hash);
    const before = known ? await openExchange(this.#core, flow) : undefined;
    if (before !== undefined) return { exchange: before, opening: undefined };
    const verifier = provider.oauth2.pkce ? oauth.generateRandomCodeVerifier() : null;
    const exchange: Exchange = { state: newToken(random), verifier };
    const sealedExchange = await sealExchange(this.#core, flow, exchange);
    const expiresAt =
      flow.browser_hash === null ? Math.min(flow.expires_at, now + OPENED_MS) : flow.expires_at;
    const opening = {
      browserHash: hashOf(browser),
      stateHash: hashOf(exchange.state),
      sealedExchange,
      expiresAt,
    };
    return { exchange, opening };
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

// Proves that the confirmation comes from our page in the browser that opened the flow: the state is known nowhere else.
function checkOf(exchange: Exchange): string {
  return hashOf(`confirm ${exchange.state}`);
}
