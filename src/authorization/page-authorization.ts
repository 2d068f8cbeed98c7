// Authorization requests of catalog pages. The user consents at the provider, and nothing of the answer is kept: the code is
// either not exchanged, or its tokens are dropped. The state is a sealed value, so nothing is stored.
import * as oauth from "oauth4webapi";
import { exchangeCode, TokenRequestError } from "../connections";
import type { Core } from "../core";
import { hashOf, newToken, type Place, sameSecret } from "../crypto";
import { RuntimeError } from "../errors";
import type { Provider, Providers } from "../providers";
import { DeletionTime, isFirst } from "../store";
import { providerAddress } from "./address";
import { parseCallback } from "./callback/checks";

const LIFETIME_MS = 10 * 60_000;

export interface PageAuthorizationRequest {
  /** Start of the state, by which callbacks are routed to the page. */
  statePrefix: string;
  /** Parameters that replace those of the provider. Templates as in a provider record. */
  params: Readonly<Record<string, string>>;
  scopes: readonly string[];
  /** Whether the code of the callback will be exchanged. */
  exchangesCode?: boolean;
}

/** `skipped`: not asked for, or exchanged before. `refused`: by the provider. `failed`: it gave no usable answer. */
export type PageExchange = "done" | "skipped" | "refused" | "failed";

export type CallbackCheck = "valid" | "unknown" | "expired" | "other browser";

interface SealedState {
  browser_hash: string;
  expires_at: number;
  /** Only if the code will be exchanged. Sealed, so a stolen callback cannot be used elsewhere. `null`: without PKCE. */
  verifier?: string | null;
}

export class PageAuthorization {
  readonly #core: Core;
  readonly #providers: Providers;
  readonly #deletionTime: DeletionTime;

  constructor(core: Core, providers: Providers) {
    this.#core = core;
    this.#providers = providers;
    this.#deletionTime = new DeletionTime(core.clock);
  }

  /** The address for the browser, and the cookie that binds it. `cookie`: the current one of the browser. */
  async start(
    provider: Provider,
    { statePrefix, params, scopes, exchangesCode = false }: PageAuthorizationRequest,
    cookie: string | undefined,
  ): Promise<{ location: string; cookie: string }> {
    const { clock, keyring, random } = this.#core;
    const browser = cookie ?? newToken(random);
    const { oauth2 } = provider;
    const verifier = oauth2.pkce ? oauth.generateRandomCodeVerifier() : undefined;
    const state: SealedState = {
      browser_hash: hashOf(browser),
      expires_at: clock.now() + LIFETIME_MS,
      // Otherwise not even this server knows it, and the code cannot be exchanged.
      ...(exchangesCode ? { verifier: verifier ?? null } : {}),
    };
    const place = placeOf(provider, statePrefix);
    const location = await providerAddress({
      provider: { ...provider, oauth2: { ...oauth2, authorize: { ...oauth2.authorize, params } } },
      scopes,
      granted: [],
      state: statePrefix + (await keyring.seal(provider.projectId, place, JSON.stringify(state))),
      verifier,
    });
    return { location, cookie: browser };
  }

  /** Whether a callback belongs to a `start` in the same browser in the last ten minutes. */
  async check(
    externalId: string,
    statePrefix: string,
    query: URLSearchParams,
    cookie: string | undefined,
  ): Promise<CallbackCheck> {
    const callback = await this.#callback(externalId, statePrefix, query);
    if (callback === undefined) return "unknown";
    const { state } = callback;
    if (cookie === undefined || !sameSecret(hashOf(cookie), state.browser_hash)) return "other browser";
    return state.expires_at <= this.#core.clock.now() ? "expired" : "valid";
  }

  /**
   * Exchanges the code of a valid callback once and drops the tokens: a provider may keep what the user picked only then. They
   * are not revoked, because that may end the user's other grants.
   */
  async exchange(externalId: string, statePrefix: string, query: URLSearchParams): Promise<PageExchange> {
    const callback = await this.#callback(externalId, statePrefix, query);
    if (callback === undefined || callback.state.verifier === undefined) return "skipped";
    const { provider, parameters, state } = callback;
    if (!(await this.#isFirst(parameters.state, state.expires_at))) return "skipped";
    // Only the tokens are wanted: no further request is made with them.
    const oauth2 = { ...provider.oauth2, userInfo: undefined, introspection: undefined };
    try {
      await exchangeCode(this.#core, { ...provider, oauth2 }, await this.#providers.clientKeys(provider), {
        parameters: parameters.all,
        state: parameters.state,
        verifier: state.verifier ?? undefined,
      });
      return "done";
    } catch (error) {
      if (!(error instanceof TokenRequestError)) throw error;
      this.#core.log.warn("the code of a page's authorization was not exchanged", {
        provider: provider.id,
        error,
      });
      return error.transient ? "failed" : "refused";
    }
  }

  async #callback(externalId: string, statePrefix: string, query: URLSearchParams) {
    const parameters = parseCallback(query);
    if (!("state" in parameters) || !parameters.state.startsWith(statePrefix)) return undefined;
    const provider = await this.#providers.findByExternalId(externalId);
    if (provider === undefined) return undefined;
    const state = await this.#open(provider, statePrefix, parameters.state.slice(statePrefix.length));
    return state === undefined ? undefined : { parameters, provider, state };
  }

  /**
   * Whether a state comes for the first time, at any server. Browsers repeat callbacks, for example when a page is loaded again,
   * and a repeated exchange may revoke what the first one got.
   */
  #isFirst(state: string, expiresAt: number): Promise<boolean> {
    return this.#core.store.write(() =>
      isFirst(`code of ${hashOf(state)}`, this.#deletionTime.now(), expiresAt),
    );
  }

  // The keyring refuses forged states, and those of a deleted data key.
  async #open(provider: Provider, statePrefix: string, sealed: string): Promise<SealedState | undefined> {
    try {
      const place = placeOf(provider, statePrefix);
      return JSON.parse(await this.#core.keyring.open(provider.projectId, place, sealed));
    } catch (error) {
      if (error instanceof RuntimeError && error.name === "internal_error") return undefined;
      throw error;
    }
  }
}

function placeOf(provider: Provider, statePrefix: string): Place {
  return { table: "auth_providers", row: provider.id, field: `${statePrefix}state` };
}
