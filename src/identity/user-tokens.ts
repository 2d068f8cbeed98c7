// User tokens: JWT access tokens (RFC 9068) of the OpenID provider at `auth_url`. `oauth4webapi` finds the keys and
// checks signature, type, issuer, audience and time; here only which user and which project a token means.
import * as oauth from "oauth4webapi";
import { isObject } from "../base";
import type { Core } from "../core";
import { hashOf } from "../crypto";
import { invalidAuthorization } from "../errors";

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
const DISCOVERED_MS = 10 * 60_000;
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
  readonly #remembered = new Map<string, Remembered>();
  #server: { value: oauth.AuthorizationServer; at: number } | undefined;
  #keys: { value: oauth.JWKSCacheInput; at: number } | undefined;

  constructor(core: Core) {
    this.#core = core;
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
    const claims = await this.#validate(token, issuer);
    const user = { userId: this.#userOf(claims), audiences: audiencesOf(claims) };
    if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear();
    this.#remembered.set(hash, { user, until: Math.min(now + BELIEVED_MS, claims.exp * 1000) });
    return user;
  }

  async #validate(token: string, issuer: string): Promise<oauth.JWTAccessTokenClaims> {
    try {
      return await this.#check(token, issuer).catch((error: unknown) => {
        // A key that we have not seen: the provider may have rotated a moment ago.
        if (codeOf(error) !== "OAUTH_KEY_SELECTION_FAILED" || !this.#forgetKeys(FRESH_MS)) throw error;
        return this.#check(token, issuer);
      });
    } catch (error) {
      this.#core.log.debug("user token refused", { error });
      throw invalidAuthorization(`The user token was refused: ${reasonOf(error)}.`);
    }
  }

  async #check(token: string, issuer: string): Promise<oauth.JWTAccessTokenClaims> {
    this.#forgetKeys(BELIEVED_MS);
    const server = await this.#discover(issuer);
    const { clock } = this.#core;
    this.#keys ??= { value: {}, at: clock.now() };
    const request = new Request("http://localhost/", { headers: { authorization: `Bearer ${token}` } });
    // The audience decides about the project and is compared there; here the token is held to its own first one.
    return oauth.validateJwtAccessToken(server, request, audiencesOf(claimsOf(token))[0] ?? "", {
      ...this.#options(),
      [oauth.jwksCache]: this.#keys.value,
      [oauth.clockSkew]: Math.round((clock.now() - Date.now()) / 1000),
      [oauth.clockTolerance]: TOLERANCE_S,
      signingAlgorithms: ALGORITHMS,
    });
  }

  async #discover(issuer: string): Promise<oauth.AuthorizationServer> {
    const now = this.#core.clock.now();
    if (this.#server !== undefined && now - this.#server.at < DISCOVERED_MS) return this.#server.value;
    const url = new URL(issuer);
    const response = await oauth.discoveryRequest(url, this.#options());
    const value = await oauth.processDiscoveryResponse(url, response);
    this.#server = { value, at: now };
    return value;
  }

  /** Drops keys of this age, so that they are asked for again; false when they are younger. */
  #forgetKeys(age: number): boolean {
    if (this.#keys === undefined || this.#core.clock.now() - this.#keys.at < age) return false;
    this.#keys = undefined;
    // The library also keeps keys on the server object: a new one is what makes it ask again.
    if (this.#server !== undefined) this.#server.value = { ...this.#server.value };
    return true;
  }

  #options() {
    return {
      // Whether plain http may be used is the address policy's decision, made at every call by `egress`.
      [oauth.allowInsecureRequests]: true,
      [oauth.customFetch]: (url: string) =>
        this.#core.egress.fetch(url, { headers: { accept: "application/json" }, maxBytes: 1_000_000 }),
    } as const;
  }

  #userOf(claims: oauth.JWTAccessTokenClaims): string {
    const name = this.#core.settings["auth.user_claim"];
    const value = claims[name];
    if (typeof value !== "string" || value === "") {
      throw invalidAuthorization(`The user token has no claim ${name} (auth.user_claim).`);
    }
    // Whoever can register any address at the provider would otherwise be anybody.
    if (name === "email" && claims["email_verified"] !== true) {
      throw invalidAuthorization("The user token's email is not verified.");
    }
    return value;
  }
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
