// The access token of a stored sign-in, renewed before it expires. Refresh tokens rotate: a second use of one ends the grant, so
// commands that run at the same time renew it one after the other, and the later ones take what the first has stored.
import * as oauth from "oauth4webapi";
import type { Config } from "../../src/config";
import { invalidAuthorization } from "../../src/errors";
import { changeLogins, readLogins, type StoredSignIn } from "../client/logins";
import { CLIENT, codeOf, type SignInServer, signInError, signInServer, WITHOUT_SECRET } from "./server";

/** A token that expires during a request would be refused. */
const MARGIN_MS = 30_000;
/** Of an answer that does not say how long the token is valid. */
const DEFAULT_LIFETIME_S = 60;

/** The sign-in with which commands act. */
export interface SignIn {
  readonly user: string;
  /** An access token that is still valid for a while. Throws `invalid_authorization` if the sign-in has ended. */
  token(): Promise<string>;
  /** Another access token than the one that the server has refused. */
  renewed(refused: string): Promise<string>;
}

/** The stored sign-in at an address; undefined if there is none. */
export function storedSignIn(config: Config, address: string): SignIn | undefined {
  const stored = readLogins(config)?.people[address];
  return stored === undefined ? undefined : new StoredTokens(config, address, stored);
}

class StoredTokens implements SignIn {
  readonly user: string;
  readonly #config: Config;
  readonly #address: string;
  #current: StoredSignIn;
  /** One at a time in this process. */
  #renewal: Promise<StoredSignIn> | undefined;

  constructor(config: Config, address: string, stored: StoredSignIn) {
    this.#config = config;
    this.#address = address;
    this.#current = stored;
    this.user = stored.user;
  }

  async token(): Promise<string> {
    if (!isFresh(this.#current)) await this.#renew(this.#current.access_token);
    return this.#current.access_token;
  }

  async renewed(refused: string): Promise<string> {
    if (this.#current.access_token === refused) await this.#renew(refused);
    return this.#current.access_token;
  }

  async #renew(former: string): Promise<void> {
    this.#renewal ??= this.#renewOnce(former).finally(() => {
      this.#renewal = undefined;
    });
    this.#current = await this.#renewal;
  }

  async #renewOnce(former: string): Promise<StoredSignIn> {
    let current = this.#current;
    await changeLogins(this.#config, async (logins, reserve) => {
      const stored = logins.people[this.#address];
      if (stored === undefined) throw ended(this.#address);
      current = stored;
      // Another command was faster.
      if (stored.access_token !== former && isFresh(stored)) return undefined;
      // The server ends the old token when it answers, so an answer that cannot be stored would end the sign-in.
      reserve();
      current = await refreshed(this.#config, this.#address, stored);
      return { ...logins, people: { ...logins.people, [this.#address]: current } };
    });
    return current;
  }
}

async function refreshed(config: Config, address: string, stored: StoredSignIn): Promise<StoredSignIn> {
  const { metadata, options } = await signInServer(address, config);
  try {
    const response = await oauth.refreshTokenGrantRequest(
      metadata,
      CLIENT,
      WITHOUT_SECRET,
      stored.refresh_token,
      { ...options, additionalParameters: { resource: stored.resource } },
    );
    const tokens = await oauth.processRefreshTokenResponse(metadata, CLIENT, response);
    return { ...stored, ...tokensOf(tokens, stored.refresh_token) };
  } catch (error) {
    if (["invalid_grant", "invalid_client", "invalid_target"].includes(codeOf(error) ?? ""))
      throw ended(address);
    throw signInError(address, error);
  }
}

/** What is stored of an answer with tokens. */
export function tokensOf(
  { access_token, refresh_token, expires_in = DEFAULT_LIFETIME_S }: oauth.TokenEndpointResponse,
  former: string,
): Pick<StoredSignIn, "access_token" | "refresh_token" | "expires_at"> {
  return {
    access_token,
    refresh_token: refresh_token ?? former,
    expires_at: Date.now() + expires_in * 1000,
  };
}

/** Ends the grant at the server (RFC 7009). */
export async function revoke({ address, metadata, options }: SignInServer, token: string): Promise<void> {
  try {
    const response = await oauth.revocationRequest(metadata, CLIENT, WITHOUT_SECRET, token, {
      ...options,
      additionalParameters: { token_type_hint: "refresh_token" },
    });
    await oauth.processRevocationResponse(response);
  } catch (error) {
    throw signInError(address, error);
  }
}

function isFresh({ expires_at }: StoredSignIn): boolean {
  return expires_at - MARGIN_MS > Date.now();
}

function ended(address: string): Error {
  return invalidAuthorization(
    `Your sign-in to ${address} has ended. Sign in again: runtime login ${address}`,
  );
}
