// Verifies user tokens: JWT access tokens (RFC 9068) of an OpenID provider. `oauth4webapi` selects the key and checks
// signature, type, issuer, audience and time; this file determines the user and the audiences.
import * as oauth from "oauth4webapi";
import { MetadataError } from "../authorization-server";
import { isObject, TimedCache, callerIdFault } from "../base";
import type { Core } from "../core";
import { hashOf } from "../crypto";
import { EgressError } from "../egress";
import { invalidAuthorization } from "../errors";
import type { OpenIdIssuer } from "./issuer";
import {
  ALGORITHMS,
  claimsOf,
  IssuerKeys,
  type Keys,
  KEYS_TTL_MS,
  MAX_VERIFIED,
  TOLERANCE_S,
} from "./issuer-keys";

export interface VerifiedUser {
  userId: string;
  audiences: string[];
  /** Undefined: the token has no scope claim. */
  scopes: readonly string[] | undefined;
}

export class UserTokens {
  readonly #core: Core;
  readonly #issuer: OpenIdIssuer;
  readonly #claim: string;
  readonly #prefix: string;
  /** By the hash of the token; an entry is as old as the keys that verified it. */
  readonly #verified: TimedCache<string, VerifiedUser>;
  readonly #keys: IssuerKeys;

  /** `users`: the claim with the user id and the prefix of our ids. Default: `auth.user_claim`, without a prefix. */
  constructor(core: Core, issuer: OpenIdIssuer, users?: { claim: string; prefix: string }) {
    this.#core = core;
    this.#issuer = issuer;
    this.#keys = new IssuerKeys(core, issuer);
    this.#verified = new TimedCache(core.clock, KEYS_TTL_MS, MAX_VERIFIED);
    this.#claim = users?.claim ?? core.settings["auth.user_claim"];
    this.#prefix = users?.prefix ?? "";
  }

  /** Throws `invalid_authorization`; the message names the failed check and never repeats the token. */
  async verify(token: string): Promise<VerifiedUser> {
    if (this.#issuer.address === undefined)
      throw invalidAuthorization("This server does not accept user tokens: auth.url is not set.");
    const hash = hashOf(token);
    const cached = this.#verified.get(hash);
    if (cached !== undefined) return cached;
    const { claims, keysAt } = await this.#validate(token);
    const named = userOfClaims(claims, this.#claim);
    if (named === undefined) {
      throw invalidAuthorization(`The user token has no (verified) claim ${this.#claim} (auth.user_claim).`);
    }
    const userId = this.#prefix + named;
    // The claim alone too: a prefix does not make a blank one valid.
    const fault = callerIdFault(named) ?? callerIdFault(userId);
    if (fault !== undefined)
      throw invalidAuthorization(`The user id in the claim ${this.#claim} of the user token ${fault}.`);
    const user = { userId, audiences: audiencesOf(claims), scopes: scopesOf(claims) };
    const end = (claims.exp + TOLERANCE_S) * 1000;
    this.#verified.set(hash, user, keysAt, Math.min(KEYS_TTL_MS, end - keysAt));
    return user;
  }

  async #validate(token: string): Promise<{ claims: oauth.JWTAccessTokenClaims; keysAt: number }> {
    try {
      const { result: claims, at: keysAt } = await this.#keys.use(
        (keys) => this.#check(token, keys),
        (error) => codeOf(error) === oauth.KEY_SELECTION,
      );
      return { claims, keysAt };
    } catch (error) {
      this.#core.log.debug("user token refused", { error });
      throw invalidAuthorization(`The user token was refused: ${reasonOf(error)}.`, { cause: error });
    }
  }

  async #check(token: string, { server, cache }: Keys): Promise<oauth.JWTAccessTokenClaims> {
    const now = this.#core.clock.now();
    const request = new Request("http://localhost/", { headers: { authorization: `Bearer ${token}` } });
    // The caller compares the audience, which determines the project. The library needs one: the first of the token.
    const audience = audiencesOf(claimsOf(token))[0] ?? "";
    const claims = await oauth.validateJwtAccessToken(server, request, audience, {
      ...this.#issuer.options(),
      [oauth.jwksCache]: cache,
      [oauth.clockSkew]: Math.round((now - Date.now()) / 1000),
      [oauth.clockTolerance]: TOLERANCE_S,
      signingAlgorithms: ALGORITHMS,
    });
    // The library only checks `nbf`, which is optional.
    if (claims.iat > now / 1000 + TOLERANCE_S) {
      throw new oauth.OperationProcessingError("issued in the future", { code: oauth.JWT_TIMESTAMP_CHECK });
    }
    return claims;
  }
}

/**
 * The user id in the claims. Undefined if the claim is missing, or is an unverified e-mail address: anyone could register
 * the address of another user.
 */
export function userOfClaims(
  claims: { readonly [name: string]: unknown },
  claim: string,
): string | undefined {
  const value = claims[claim];
  if (typeof value !== "string" || value === "") return undefined;
  return claim === "email" && claims["email_verified"] !== true ? undefined : value;
}

export function audiencesOf(claims: unknown): string[] {
  const audience = isObject(claims) ? claims["aud"] : undefined;
  return (Array.isArray(audience) ? audience : [audience]).filter((item) => typeof item === "string");
}

// `scope` (RFC 9068, section 2.2.3); some providers use `scp`, a list or a string.
function scopesOf(claims: { readonly [name: string]: unknown }): string[] | undefined {
  const scope = claims["scope"] ?? claims["scp"];
  const list = typeof scope === "string" ? scope.split(" ") : scope;
  if (!Array.isArray(list)) return undefined;
  return list.filter((item) => typeof item === "string" && item !== "");
}

function codeOf(error: unknown): string {
  return isObject(error) && typeof error["code"] === "string" ? error["code"] : "";
}

/** Names the requirements of RFC 9068 that many providers only meet if configured to. */
function formReason(error: unknown): string {
  const message = error instanceof Error ? error.message : "";
  if (message.includes('JWT "typ"')) return "it is not an access token as of RFC 9068: its typ is not at+jwt";
  const [, claim] = /^JWT "(\w+)" .*missing$/.exec(message) ?? [];
  if (claim !== undefined) return `it is not an access token as of RFC 9068: it has no ${claim}`;
  return "its signature or form is not valid";
}

function reasonOf(error: unknown): string {
  if (error instanceof EgressError)
    return "the OpenID provider (auth.url) cannot be reached; try again later";
  if (error instanceof MetadataError)
    return error.issuer === undefined
      ? "the OpenID provider at auth.url publishes no metadata"
      : "the metadata of the OpenID provider at auth.url has another issuer";
  switch (codeOf(error)) {
    case oauth.JWT_TIMESTAMP_CHECK:
      return "it has expired or is not valid yet";
    case oauth.JWT_CLAIM_COMPARISON:
      return "its issuer or audience does not match";
    case oauth.INVALID_RESPONSE:
      return formReason(error);
    case oauth.UNSUPPORTED_OPERATION:
      return "its signature algorithm is not accepted";
    case oauth.KEY_SELECTION:
      return "its signing key is not among the keys of the provider";
    default:
      return "it could not be verified";
  }
}
