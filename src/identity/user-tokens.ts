// User tokens: JWT access tokens (RFC 9068) of the OpenID provider at `auth_url`. `oauth4webapi` finds the keys and
// checks signature, type, issuer, audience and time; here only which user and which project a token means.
import * as oauth from "oauth4webapi";
import { isObject } from "../base";
import type { Core } from "../core";
import { hashOf } from "../crypto";
import { invalidAuthorization } from "../errors";
import type { OpenIdIssuer } from "./issuer";

export interface VerifiedUser {
  userId: string;
  /** Audiences that the token names. */
  audiences: string[];
}

interface Remembered {
  user: VerifiedUser;
  until: number;
}

/** A removed signing key must stop working within this time, so neither keys nor verdicts are believed longer. */
const BELIEVED_MS = 60_000;
/** How often an unknown key may make us ask for all keys again. */
const FRESH_MS = 5000;
const TOLERANCE_S = 30;
const MAX_REMEMBERED = 10_000;
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
  readonly #remembered = new Map<string, Remembered>();
  #keys: { value: oauth.JWKSCacheInput; at: number } | undefined;

  constructor(core: Core, issuer: OpenIdIssuer) {
    this.#core = core;
    this.#issuer = issuer;
  }

  /** Throws `invalid_authorization`; the message says which check failed and never repeats the token. */
  async verify(token: string): Promise<VerifiedUser> {
    const issuer = this.#core.settings["auth.url"];
    if (issuer === undefined)
      throw invalidAuthorization("This server takes no user tokens (auth.url is not set).");
    const now = this.#core.clock.now();
    const hash = hashOf(token);
    const known = this.#remembered.get(hash);
    if (known !== undefined && known.until > now) return known.user;
    const claims = await this.#validate(token);
    const claim = this.#core.settings["auth.user_claim"];
    const userId = userOfClaims(claims, claim);
    if (userId === undefined) {
      throw invalidAuthorization(`The user token has no (verified) claim ${claim} (auth.user_claim).`);
    }
    const user = { userId, audiences: audiencesOf(claims) };
    if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear();
    this.#remembered.set(hash, { user, until: Math.min(now + BELIEVED_MS, claims.exp * 1000) });
    return user;
  }

  async #validate(token: string): Promise<oauth.JWTAccessTokenClaims> {
    try {
      return await this.#check(token).catch((error: unknown) => {
        // A key that we have not seen: the provider may have rotated a moment ago.
        if (codeOf(error) !== "OAUTH_KEY_SELECTION_FAILED" || !this.#forgetKeys(FRESH_MS)) throw error;
        return this.#check(token);
      });
    } catch (error) {
      this.#core.log.debug("user token refused", { error });
      throw invalidAuthorization(`The user token was refused: ${reasonOf(error)}.`);
    }
  }

  async #check(token: string): Promise<oauth.JWTAccessTokenClaims> {
    this.#forgetKeys(BELIEVED_MS);
    const server = await this.#issuer.discover();
    const { clock } = this.#core;
    this.#keys ??= { value: {}, at: clock.now() };
    const request = new Request("http://localhost/", { headers: { authorization: `Bearer ${token}` } });
    // The audience decides about the project and is compared there; here the token is held to its own first one.
    return oauth.validateJwtAccessToken(server, request, audiencesOf(claimsOf(token))[0] ?? "", {
      ...this.#issuer.options(),
      [oauth.jwksCache]: this.#keys.value,
      [oauth.clockSkew]: Math.round((clock.now() - Date.now()) / 1000),
      [oauth.clockTolerance]: TOLERANCE_S,
      signingAlgorithms: ALGORITHMS,
    });
  }

  /** Drops keys of this age, so that they are asked for again; false when they are younger. */
  #forgetKeys(age: number): boolean {
    if (this.#keys === undefined || this.#core.clock.now() - this.#keys.at < age) return false;
    this.#keys = undefined;
    this.#issuer.forgetKeys();
    return true;
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

function codeOf(error: unknown): string {
  return isObject(error) && typeof error["code"] === "string" ? error["code"] : "";
}

function reasonOf(error: unknown): string {
  const code = codeOf(error);
  if (code === "OAUTH_JWT_TIMESTAMP_CHECK_FAILED") return "it has expired or is not valid yet";
  if (code === "OAUTH_JWT_CLAIM_COMPARISON_FAILED") return "its issuer or audience is another";
  if (code === "OAUTH_INVALID_RESPONSE") return "its signature or form is not valid";
  if (code === "OAUTH_UNSUPPORTED_OPERATION") return "it is signed in a way that is not accepted";
  if (code === "OAUTH_KEY_SELECTION_FAILED") return "it is signed by a key that the provider does not have";
  return "it could not be verified";
}
