// Authorization requests of catalog pages. The user consents at the provider, but the code is never exchanged. The state
// is a sealed value, so nothing is stored.
import * as oauth from "oauth4webapi";
import type { Core } from "../core";
import { hashOf, newToken, type Place, sameSecret } from "../crypto";
import { RuntimeError } from "../errors";
import type { Provider, Providers } from "../providers";
import { providerAddress } from "./address";
import { parseCallback } from "./callback/checks";

const LIFETIME_MS = 10 * 60_000;

export interface PageAuthorizationRequest {
  /** Start of the state, by which callbacks are routed to the page. */
  statePrefix: string;
  /** Parameters that replace those of the provider. Templates as in a provider record. */
  params: Readonly<Record<string, string>>;
  scopes: readonly string[];
}

export type CallbackCheck = "valid" | "unknown" | "expired" | "other browser";

interface SealedState {
  browser_hash: string;
  expires_at: number;
}

export class PageAuthorization {
  readonly #core: Core;
  readonly #providers: Providers;

  constructor(core: Core, providers: Providers) {
    this.#core = core;
    this.#providers = providers;
  }

  /** The address for the browser, and the cookie that binds it. `cookie`: the current one of the browser. */
  async start(
    provider: Provider,
    { statePrefix, params, scopes }: PageAuthorizationRequest,
    cookie: string | undefined,
  ): Promise<{ location: string; cookie: string }> {
    const { clock, keyring, random } = this.#core;
    const browser = cookie ?? newToken(random);
    const { oauth2 } = provider;
    const state: SealedState = { browser_hash: hashOf(browser), expires_at: clock.now() + LIFETIME_MS };
    const place = placeOf(provider, statePrefix);
    const location = await providerAddress({
      provider: { ...provider, oauth2: { ...oauth2, authorize: { ...oauth2.authorize, params } } },
      scopes,
      granted: [],
      state: statePrefix + (await keyring.seal(provider.projectId, place, JSON.stringify(state))),
      // Not stored, so that a stolen code cannot be exchanged.
      verifier: oauth2.pkce ? oauth.generateRandomCodeVerifier() : undefined,
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
    const parameters = parseCallback(query);
    if (!("state" in parameters) || !parameters.state.startsWith(statePrefix)) return "unknown";
    const provider = await this.#providers.findByExternalId(externalId);
    if (provider === undefined) return "unknown";
    const sealed = parameters.state.slice(statePrefix.length);
    const state = await this.#open(provider, statePrefix, sealed);
    if (state === undefined) return "unknown";
    if (cookie === undefined || !sameSecret(hashOf(cookie), state.browser_hash)) return "other browser";
    return state.expires_at <= this.#core.clock.now() ? "expired" : "valid";
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
