// The signing keys of an issuer, cached for a short time, and what all tokens that they verify have in common.
import type * as oauth from "oauth4webapi";
import { isFresh } from "../base";
import type { Core } from "../core";
import type { OpenIdIssuer } from "./issuer";

export interface Keys {
  server: oauth.AuthorizationServer;
  jwks: oauth.JWKS;
  /** The same for `oauth4webapi`. */
  cache: oauth.JWKSCacheInput;
}

/** A removed signing key must stop working within this time, so keys and verified tokens are cached no longer. */
export const KEYS_TTL_MS = 60_000;
export const TOLERANCE_S = 30;
export const MAX_VERIFIED = 10_000;
/** How often an unknown key may cause the keys to be loaded again. */
const MIN_RELOAD_MS = 5000;
/** Asymmetric only: a symmetric algorithm would turn the public key into a signing key (RFC 8725, section 2.1). */
export const ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];
const JWT = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;

export function looksLikeJwt(text: string): boolean {
  return JWT.test(text);
}

/** The claims of a token that was not verified. */
export function claimsOf(token: string): unknown {
  try {
    return JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"));
  } catch {
    return {};
  }
}

export class IssuerKeys {
  readonly #core: Core;
  readonly #issuer: OpenIdIssuer;
  #keys: { value: Promise<Keys>; at: number } | undefined;

  constructor(core: Core, issuer: OpenIdIssuer) {
    this.#core = core;
    this.#issuer = issuer;
  }

  /**
   * The result of `check` with the current keys, and when they were loaded. If it fails because the key is unknown, it is
   * repeated with newer ones: the issuer may have rotated them.
   */
  async use<T>(
    check: (keys: Keys) => Promise<T>,
    isUnknownKey: (error: unknown) => boolean,
  ): Promise<{ result: T; at: number }> {
    const keys = this.#current(KEYS_TTL_MS);
    const result = await check(await keys.value).catch(async (error: unknown) => {
      if (!isUnknownKey(error)) throw error;
      const newer = this.#current(MIN_RELOAD_MS);
      if (newer === keys) throw error;
      return check(await newer.value);
    });
    return { result, at: keys.at };
  }

  /** The keys, loaded again if they are older than `age`, ms. Concurrent callers share one request. */
  #current(age: number): { value: Promise<Keys>; at: number } {
    const at = this.#core.clock.now();
    if (this.#keys !== undefined && isFresh(this.#keys.at, age, at)) return this.#keys;
    const keys = { value: this.#load(), at };
    this.#keys = keys;
    keys.value.catch(() => {
      if (this.#keys === keys) this.#keys = undefined;
    });
    return keys;
  }

  // `oauth4webapi` caches keys by the metadata object, so each key set gets its own copy.
  async #load(): Promise<Keys> {
    const server = { ...(await this.#issuer.discover()) };
    const jwks = await this.#issuer.keys(server);
    return { server, jwks, cache: { jwks, uat: Math.floor(Date.now() / 1000) } };
  }
}
