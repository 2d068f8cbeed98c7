// The browser's side of a consent: our address, the callback, the built-in user check.
import * as oauth from "oauth4webapi";
import { Redacted } from "../base";
import type { Core } from "../core";
import {
  type Connections,
  exchangeCode,
  missingScopes,
  type TokenGrant,
  TokenRequestError,
} from "../connections";
import { hashOf, newToken, sameSecret } from "../crypto";
import type { Provider, Providers } from "../providers";
import { providerAddress } from "./address";
import {
  inTime,
  ownProvider,
  providerError,
  providerUnchanged,
  sameBrowser,
  wellFormed,
} from "./callback/checks";
import { addressOf, EXPIRED, OPENED_MS, placeOf, reasonOf, statusOf } from "./flow";
import { OTHER_BROWSER, type Outcome, UNKNOWN_ADDRESS, UNKNOWN_STATE, USED_STATE } from "./outcome";
import * as repository from "./repository";
import type { FlowRow } from "./repository";

interface Exchange {
  state: string;
  verifier: string | null;
}

interface HeldGrant {
  access: string;
  refresh: string | null;
  expiresIn: number | null;
  /** When the provider gave it, ms: its life began then, not when the person confirms. */
  grantedAt: number;
  scopes: string[] | null;
  facts: TokenGrant["facts"];
}

/** The flow ended while its grant was about to be stored: nothing of it is. */
class FlowEnded extends Error {}

export class Consent {
  readonly #core: Core;
  readonly #providers: Providers;
  readonly #connections: Connections;

  constructor(core: Core, providers: Providers, connections: Connections) {
    this.#core = core;
    this.#providers = providers;
    this.#connections = connections;
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
      const ended = this.#ended(flow);
      if (ended !== undefined) return ended;
      if (flow.used_at !== null) return this.#underway(flow, token, cookie);
      const provider = await this.#providers.find(flow.project_id, flow.provider_id ?? "");
      const stale = provider === undefined ? "the auth provider is gone" : providerUnchanged(flow, provider);
      if (provider === undefined || stale !== undefined) return this.#fail(flow, stale ?? "");
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
    const stranger = sameBrowser(flow, cookie);
    if (stranger !== undefined) return stranger;
    const ended = this.#ended(flow);
    if (ended !== undefined) return flow.used_at === null ? ended : USED_STATE;
    // Double delivery: browsers repeat a slow request. The first one works on, the second shows how far it is.
    const first = await store.write(() => repository.useState(flow, clock.now()));
    if (!first) return this.#underway(flow, undefined, cookie);

    const stop =
      inTime(flow, clock.now()) ?? providerUnchanged(flow, provider) ?? providerError(parameters.all);
    if (stop !== undefined) return this.#fail(flow, stop);
    const grant = await this.#exchange(flow, provider, parameters.all);
    return "accessToken" in grant ? this.#checkUser(flow, grant) : grant;
  }

  /** The person said on our page that the user is right (or not). */
  async confirm(token: string, check: string, agrees: boolean, cookie: string | undefined): Promise<Outcome> {
    const flow = await repository.findFlowByAddress(this.#core.store, hashOf(token));
    if (flow === undefined) return UNKNOWN_ADDRESS;
    const stranger = sameBrowser(flow, cookie);
    if (stranger !== undefined) return stranger;
    const ended = this.#ended(flow);
    if (ended !== undefined) return ended;
    const exchange = await this.#exchangeOf(flow);
    if (exchange === undefined || flow.sealed_grant === null || !sameSecret(check, checkOf(exchange))) {
      return UNKNOWN_STATE;
    }
    if (!agrees) return this.#fail(flow, "the person said that this is not their account");
    const provider = await this.#providers.find(flow.project_id, flow.provider_id ?? "");
    const stale = provider === undefined ? "the auth provider is gone" : providerUnchanged(flow, provider);
    if (provider === undefined || stale !== undefined) return this.#fail(flow, stale ?? "");
    return this.#complete(flow, provider, await this.#heldGrant(flow, flow.sealed_grant));
  }

  async #exchange(
    flow: FlowRow,
    provider: Provider,
    parameters: URLSearchParams,
  ): Promise<TokenGrant | Outcome> {
    const exchange = await this.#exchangeOf(flow);
    if (exchange === undefined) return UNKNOWN_STATE;
    const { state, verifier } = exchange;
    try {
      const secret = await this.#providers.clientSecret(provider);
      return await exchangeCode(this.#core, provider, secret, {
        parameters,
        state,
        verifier: verifier ?? undefined,
      });
    } catch (error) {
      if (!(error instanceof TokenRequestError)) throw error;
      this.#core.log.warn("code exchange failed", { authorization: flow.id, provider: provider.id, error });
      return this.#fail(flow, error.message);
    }
  }

  /** Check (c): keeps the grant sealed until the person has confirmed. */
  async #checkUser(flow: FlowRow, grant: TokenGrant): Promise<Outcome> {
    const { store, keyring } = this.#core;
    const held: HeldGrant = {
      access: grant.accessToken.reveal(),
      refresh: grant.refreshToken?.reveal() ?? null,
      expiresIn: grant.expiresIn ?? null,
      grantedAt: this.#core.clock.now(),
      scopes: grant.scopes ?? null,
      facts: grant.facts,
    };
    const sealed = await keyring.seal(flow.project_id, placeOf(flow.id, "grant"), JSON.stringify(held));
    await store.write(() => repository.holdGrant(flow, sealed));
    return this.#confirmPage({ ...flow, sealed_grant: sealed });
  }

  async #heldGrant(flow: FlowRow, sealed: string): Promise<TokenGrant> {
    const text = await this.#core.keyring.open(flow.project_id, placeOf(flow.id, "grant"), sealed);
    const held: HeldGrant = JSON.parse(text);
    const age = Math.ceil((this.#core.clock.now() - held.grantedAt) / 1000);
    return {
      accessToken: new Redacted(held.access),
      refreshToken: held.refresh === null ? undefined : new Redacted(held.refresh),
      expiresIn: held.expiresIn === null ? undefined : Math.max(0, held.expiresIn - age),
      scopes: held.scopes ?? undefined,
      facts: held.facts,
    };
  }

  /**
   * Stores the grant and ends the flow in one transaction; a flow that somebody else ended meanwhile (its provider was
   * deleted, the person said no in another tab) stores nothing. Fewer scopes than asked for: stored, but failed.
   */
  async #complete(flow: FlowRow, provider: Provider, grant: TokenGrant): Promise<Outcome> {
    const now = this.#core.clock.now();
    const asked: string[] = JSON.parse(flow.scopes);
    const needed: string[] = JSON.parse(flow.needed);
    const missing = missingScopes(grant.scopes ?? asked, needed);
    const reason = missing.length === 0 ? null : `the user did not grant ${missing.join(", ")}`;
    const status = reason === null ? "completed" : "failed";
    try {
      await this.#connections.store(
        flow.project_id,
        flow.user_id,
        provider,
        grant,
        asked,
        function* (connectionId, scopes) {
          const ending = { status, reason, scopes, connectionId } as const;
          if (!(yield* repository.finishFlow(flow, ending, now))) throw new FlowEnded();
        },
      );
    } catch (error) {
      if (!(error instanceof FlowEnded)) throw error;
      const current = await repository.findFlow(this.#core.store, flow.project_id, flow.id);
      return (current === undefined ? undefined : this.#ended(current)) ?? UNKNOWN_STATE;
    }
    return reason === null ? this.#leave(flow) : { kind: "failed", reason };
  }

  #leave(flow: FlowRow): Outcome {
    return flow.next_uri === null ? { kind: "completed" } : { kind: "redirect", location: flow.next_uri };
  }

  async #fail(flow: FlowRow, reason: string): Promise<Outcome> {
    const { store, clock } = this.#core;
    const ending = { status: "failed", reason, scopes: JSON.parse(flow.scopes), connectionId: null } as const;
    await store.write(() => repository.finishFlow(flow, ending, clock.now()));
    return { kind: "failed", reason };
  }

  #ended(flow: FlowRow): Outcome | undefined {
    const now = this.#core.clock.now();
    const status = statusOf(flow, now);
    if (status === "completed") return this.#leave(flow);
    return status === "failed" ? { kind: "failed", reason: reasonOf(flow, now) ?? EXPIRED } : undefined;
  }

  /** The callback has come: its own browser sees the page of the user check, another one nothing. */
  async #underway(flow: FlowRow, token: string | undefined, cookie: string | undefined): Promise<Outcome> {
    const current = await repository.findFlowByState(this.#core.store, flow.state_hash ?? "");
    if (current === undefined || sameBrowser(current, cookie) !== undefined) {
      return token === undefined ? UNKNOWN_STATE : OTHER_BROWSER;
    }
    const ended = this.#ended(current);
    if (ended !== undefined) return ended;
    return current.sealed_grant === null ? UNKNOWN_STATE : this.#confirmPage(current);
  }

  async #confirmPage(flow: FlowRow): Promise<Outcome> {
    const exchange = await this.#exchangeOf(flow);
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
    const { keyring, random } = this.#core;
    const known = flow.browser_hash !== null && sameSecret(hashOf(browser), flow.browser_hash);
    const before = known ? await this.#exchangeOf(flow) : undefined;
    if (before !== undefined) return { exchange: before, opening: undefined };
    const verifier = provider.oauth2.pkce ? oauth.generateRandomCodeVerifier() : null;
    const exchange: Exchange = { state: newToken(random), verifier };
    const sealedExchange = await keyring.seal(
      flow.project_id,
      placeOf(flow.id, "exchange"),
      JSON.stringify(exchange),
    );
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

  async #exchangeOf(flow: FlowRow): Promise<Exchange | undefined> {
    if (flow.sealed_exchange === null) return undefined;
    const place = placeOf(flow.id, "exchange");
    return JSON.parse(await this.#core.keyring.open(flow.project_id, place, flow.sealed_exchange));
  }
}

// Proves that the confirmation comes from our page in the browser that opened the flow: the state is known nowhere else.
function checkOf(exchange: Exchange): string {
  return hashOf(`confirm ${exchange.state}`);
}
