// User tokens: JWT access tokens (RFC 9068) of the OpenID provider at `auth_url`. `oauth4webapi` finds the keys and
// checks signature, type, issuer, audience and time; here only which user and which project a token means.
import * as oauth from "oauth4webapi";
import { isFresh, isObject, TimedCache } from "../base";
import type { Core } from "../core";
import { hashOf } from "../crypto";
import { EgressError } from "../egress";
import { invalidAuthorization } from "../errors";
import type { OpenIdIssuer } from "./issuer";

export interface VerifiedUser {
  userId: string;
  /** Audiences that the token names. */
  audiences: string[];
  /** Scopes that the token names; undefined: it names none at all. */
  scopes: readonly string[] | undefined;
}

interface Keys {
  server: oauth.AuthorizationServer;
  cache: oauth.JWKSCacheInput;
}

/** A removed signing key must stop working within this time, so keys and verified tokens are cached no longer. */
const KEYS_TTL_MS = 60_000;
/** How often an unknown key may make us ask for all keys again. */
const FRESH_MS = 5000;
const TOLERANCE_S = 30;
const MAX_VERIFIED = 10_000;
/** Asymmetric only: with a symmetric algorithm the provider's public key would be a signing key (RFC 8725 section 2.1). */
const ALGORITHMS = [
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

export class UserTokens {
  readonly #core: Core;
  readonly #issuer: OpenIdIssuer;
  readonly #claim: string;
  readonly #prefix: string;
  /** By the hash of the token; an entry is as old as the keys that verified it. */
  readonly #verified: TimedCache<string, VerifiedUser>;
  #keys: { value: Promise<Keys>; at: number } | undefined;

  /** `users`: which claim holds the user and what stands before it in our ids; else the claim is `auth.user_claim`. */
  constructor(core: Core, issuer: OpenIdIssuer, users?: { claim: string; prefix: string }) {
    this.#core = core;
    this.#issuer = issuer;
    this.#verified = new TimedCache(core.clock, KEYS_TTL_MS, MAX_VERIFIED);
    this.#claim = users?.claim ?? core.settings["auth.user_claim"];
    this.#prefix = users?.prefix ?? "";
  }

  /** Throws `invalid_authorization`; the message says which check failed and never repeats the token. */
  async verify(token: string): Promise<VerifiedUser> {
    if (this.#issuer.place === undefined)
      throw invalidAuthorization("This server takes no user tokens (auth.url is not set).");
    const hash = hashOf(token);
    const cached = this.#verified.get(hash);
    if (cached !== undefined) return cached;
    const { claims, keysAt } = await this.#validate(token);
    const named = userOfClaims(claims, this.#claim);
    if (named === undefined) {
      throw invalidAuthorization(`The user token has no (verified) claim ${this.#claim} (auth.user_claim).`);
    }
    const user = { userId: this.#prefix + named, audiences: audiencesOf(claims), scopes: scopesOf(claims) };
    const end = (claims.exp + TOLERANCE_S) * 1000;
    this.#verified.set(hash, user, keysAt, Math.min(KEYS_TTL_MS, end - keysAt));
    return user;
  }

  async #validate(token: string): Promise<{ claims: oauth.JWTAccessTokenClaims; keysAt: number }> {
    const keys = this.#current(KEYS_TTL_MS);
    try {
      const claims = await this.#check(token, await keys.value).catch(async (error: unknown) => {
        // A key that we have not seen: the provider may have rotated a moment ago.
        if (codeOf(error) !== oauth.KEY_SELECTION) throw error;
        const newer = this.#current(FRESH_MS);
        if (newer === keys) throw error;
        return this.#check(token, await newer.value);
      });
      return { claims, keysAt: keys.at };
    } catch (error) {
      this.#core.log.debug("user token refused", { error });
      throw invalidAuthorization(`The user token was refused: ${reasonOf(error)}.`);
    }
  }

  async #check(token: string, { server, cache }: Keys): Promise<oauth.JWTAccessTokenClaims> {
    const now = this.#core.clock.now();
    const request = new Request("http://localhost/", { headers: { authorization: `Bearer ${token}` } });
    // The audience decides about the project and is compared there; here the token is held to its own first one.
    const audience = audiencesOf(claimsOf(token))[0] ?? "";
    const claims = await oauth.validateJwtAccessToken(server, request, audience, {
      ...this.#issuer.options(),
      [oauth.jwksCache]: cache,
      [oauth.clockSkew]: Math.round((now - Date.now()) / 1000),
      [oauth.clockTolerance]: TOLERANCE_S,
      signingAlgorithms: ALGORITHMS,
    });
    // The library looks at `nbf` only: a token of tomorrow that has none would work today.
    if (claims.iat > now / 1000 + TOLERANCE_S) {
      throw new oauth.OperationProcessingError("issued in the future", { code: oauth.JWT_TIMESTAMP_CHECK });
    }
    return claims;
  }

  /** The keys, asked for anew when they are of this age; whoever wants them at the same time shares one request. */
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

  // The library keeps keys on the metadata object, so each set of keys has one of its own.
  async #load(): Promise<Keys> {
    const server = { ...(await this.#issuer.discover()) };
    const jwks = await this.#issuer.keys(server);
    return { server, cache: { jwks, uat: Math.floor(Date.now() / 1000) } };
  }
}

/**
 * The user that claims name. Undefined when the claim is missing, or an e-mail address that the provider has not
 * verified: whoever can register any address would otherwise be anybody.
 */
export function userOfClaims(
  claims: { readonly [name: string]: unknown },
  claim: string,
): string | undefined {
  const value = claims[claim];
  if (typeof value !== "string" || value === "") return undefined;
  return claim === "email" && claims["email_verified"] !== true ? undefined : value;
}

function claimsOf(token: string): unknown {
  try {
    return JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"));
  } catch {
    return {};
  }
}

function audiencesOf(claims: unknown): string[] {
  const audience = isObject(claims) ? claims["aud"] : undefined;
  return (Array.isArray(audience) ? audience : [audience]).filter((item) => typeof item === "string");
}

// `scope` by RFC 9068, section 2.2.3; some providers say `scp`, as a list or as one text.
function scopesOf(claims: { readonly [name: string]: unknown }): string[] | undefined {
  const named = claims["scope"] ?? claims["scp"];
  const list = typeof named === "string" ? named.split(" ") : named;
  if (!Array.isArray(list)) return undefined;
  return list.filter((item) => typeof item === "string" && item !== "");
}

function codeOf(error: unknown): string {
  return isObject(error) && typeof error["code"] === "string" ? error["code"] : "";
}

/** What the profile of JWT access tokens (RFC 9068) wants and many providers give only when they are told to. */
function formReason(error: unknown): string {
  const message = error instanceof Error ? error.message : "";
  if (message.includes('JWT "typ"')) return "it is no access token by RFC 9068: its typ is not at+jwt";
  const [, claim] = /^JWT "(\w+)" .*missing$/.exec(message) ?? [];
  if (claim !== undefined) return `it is no access token by RFC 9068: it has no ${claim}`;
  return "its signature or form is not valid";
}

function reasonOf(error: unknown): string {
  if (error instanceof EgressError)
    return "the OpenID provider (auth.url) cannot be reached; try again later";
  switch (codeOf(error)) {
    case oauth.JWT_TIMESTAMP_CHECK:
      return "it has expired or is not valid yet";
    case oauth.JWT_CLAIM_COMPARISON:
      return "its issuer or audience is another";
    case oauth.INVALID_RESPONSE:
      return formReason(error);
    case oauth.UNSUPPORTED_OPERATION:
      return "it is signed in a way that is not accepted";
    case oauth.KEY_SELECTION:
      return "it is signed by a key that the provider does not have";
    case oauth.JSON_ATTRIBUTE_COMPARISON:
      return "the OpenID provider at auth.url says that its issuer is another address";
    default:
      return "it could not be verified";
  }
}
