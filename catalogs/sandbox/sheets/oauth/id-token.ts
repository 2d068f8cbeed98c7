// Id tokens: who consented, signed with RS256. The key is made when the first one is needed.
import type { Person } from "../people";
import { EMAIL, OPENID, PROFILE } from "./scopes";

const ALGORITHM = {
  name: "RSASSA-PKCS1-v1_5",
  hash: "SHA-256",
  modulusLength: 2048,
  publicExponent: new Uint8Array([1, 0, 1]),
} as const;
const KEY_ID = "sandbox-key";
const LIFETIME_S = 3600;

export class IdTokens {
  readonly #issuer: string;
  readonly #now: () => number;
  #keys: Promise<CryptoKeyPair> | undefined;

  constructor(issuer: string, now: () => number) {
    this.#issuer = issuer;
    this.#now = now;
  }

  /** Undefined for a grant without identity. */
  async issue(person: Person, clientId: string, scopes: readonly string[]): Promise<string | undefined> {
    if (!scopes.includes(OPENID)) return undefined;
    const at = Math.floor(this.#now() / 1000);
    const claims = {
      iss: this.#issuer,
      azp: clientId,
      aud: clientId,
      iat: at,
      exp: at + LIFETIME_S,
      ...claimsOf(person, scopes),
    };
    const signed = [{ alg: "RS256", kid: KEY_ID, typ: "JWT" }, claims].map(encoded).join(".");
    const { privateKey } = await this.#pair();
    const signature = await crypto.subtle.sign(ALGORITHM.name, privateKey, new TextEncoder().encode(signed));
    return `${signed}.${Buffer.from(signature).toString("base64url")}`;
  }

  /** The key set for their verification. */
  async keySet(): Promise<{ keys: object[] }> {
    const { publicKey } = await this.#pair();
    const key = await crypto.subtle.exportKey("jwk", publicKey);
    return { keys: [{ ...key, kid: KEY_ID, use: "sig", alg: "RS256" }] };
  }

  #pair(): Promise<CryptoKeyPair> {
    return (this.#keys ??= crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]));
  }
}

/** The claims of a person in an id token and at the user info endpoint. */
export function claimsOf(person: Person, scopes: readonly string[]): Record<string, string | boolean> {
  const { hd, ...profile } = person.profile;
  return {
    sub: person.id,
    ...(hd === undefined ? {} : { hd }),
    ...(scopes.includes(EMAIL) ? { email: person.email, email_verified: true } : {}),
    ...(scopes.includes(PROFILE) ? { name: person.displayName, ...profile } : {}),
  };
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
