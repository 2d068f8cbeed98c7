// Checks the access tokens of this installation (RFC 9068) where they are used. A token counts as long as what the person has
// allowed the client holds: the grant and the sign-in are looked up with each use, under a generation.
import { isObject } from "../../base";
import type { Core } from "../../core";
import { hashOf } from "../../crypto";
import { invalidAuthorization } from "../../errors";
import { DEFAULT_ID } from "../../identity";
import { type JwtKeys, SIGNATURE } from "../../jwt-keys";
import { CachedByGeneration } from "../../store";
import type { ClientGrants } from "./grants";

/** For servers whose clocks differ. */
const TOLERANCE_S = 30;

/** What a token says. */
export interface TokenClaims {
  projectId: string;
  userId: string;
  clientId: string;
  /** The row of `client_grants`. */
  grant: string;
  /** The sign-in that it belongs to. */
  signIn: string;
  /** The id of the gateway that the person has allowed; empty: the API. */
  resource: string;
  /** The address that it is for. */
  audience: string;
  scopes: readonly string[];
}

type Checked = Omit<TokenClaims, "resource"> & { expiresAt: number };

export class TokenVerifier {
  readonly #core: Core;
  readonly #keys: JwtKeys;
  readonly #grants: ClientGrants;
  /** By the hash of the token. A removed key empties it. */
  readonly #checked: CachedByGeneration<string, Checked>;

  constructor(core: Core, keys: JwtKeys, grants: ClientGrants) {
    this.#core = core;
    this.#keys = keys;
    this.#grants = grants;
    this.#checked = new CachedByGeneration(core.store, "token_keys");
  }

  /** Whether a token says that it is of this installation. Nothing is checked. */
  isOurs(token: string): boolean {
    const claims = partOf(token, 1);
    return claims?.["iss"] === this.#core.publicUrl();
  }

  /** Throws `invalid_authorization`; the message never repeats the token. */
  async verify(token: string): Promise<TokenClaims> {
    const checked = await this.#checked.get(hashOf(token), () => this.#check(token));
    if (checked.expiresAt <= this.#core.clock.now()) throw refused("it has expired");
    const { projectId, userId, grant, signIn: chain } = checked;
    const resource = await this.#grants.resourceOf({ projectId, userId }, grant);
    if (resource === undefined) throw refused("what the user had allowed was revoked");
    if (!(await this.#grants.isChainAlive({ projectId, userId, grant, chain })))
      throw refused("its sign-in has ended");
    return { ...checked, resource };
  }

  async #check(token: string): Promise<Checked> {
    const [header, claims] = [partOf(token, 0), partOf(token, 1)];
    if (header === undefined || claims === undefined) throw refused("its form is not valid");
    // Of the header only the key is believed, and it must be one of ours for this algorithm (RFC 8725, section 3.1).
    if (header["alg"] !== "ES256" || String(header["typ"]).toLowerCase() !== "at+jwt" || "crit" in header)
      throw refused("it is not an access token of this server");
    await this.#checkSignature(token, header["kid"]);
    const checked = claimsIn(claims, this.#core.publicUrl());
    if (checked === undefined) throw refused("a claim is missing or is not valid");
    const now = this.#core.clock.now() / 1000;
    if (Number(claims["iat"]) > now + TOLERANCE_S) throw refused("it is of the future");
    return checked;
  }

  async #checkSignature(token: string, keyId: unknown): Promise<void> {
    const key = typeof keyId === "string" ? await this.#keys.verifying(DEFAULT_ID, keyId) : undefined;
    if (key === undefined) throw refused("its key is not one of this server");
    const end = token.lastIndexOf(".");
    const signature = Buffer.from(token.slice(end + 1), "base64url");
    if (!(await crypto.subtle.verify(SIGNATURE, key, signature, Buffer.from(token.slice(0, end)))))
      throw refused("its signature is not valid");
  }
}

function claimsIn(claims: Record<string, unknown>, issuer: string): Checked | undefined {
  const { iss, sub, aud, exp, iat, scope, client_id, project_id, gid, sid } = claims;
  if (iss !== issuer || typeof exp !== "number" || typeof iat !== "number") return undefined;
  const texts = [sub, aud, scope, client_id, project_id, gid, sid];
  if (!texts.every((text) => typeof text === "string" && text !== "")) return undefined;
  return {
    projectId: String(project_id),
    userId: String(sub),
    clientId: String(client_id),
    grant: String(gid),
    signIn: String(sid),
    audience: String(aud),
    scopes: String(scope).split(" "),
    expiresAt: exp * 1000,
  };
}

function partOf(token: string, at: number): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(token.split(".")[at] ?? "", "base64url").toString("utf8"));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function refused(reason: string): Error {
  return invalidAuthorization(`The user token was refused: ${reason}. Sign in again.`);
}
