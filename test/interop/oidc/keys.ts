// Signing keys of a provider, and JWTs signed with them.
import { createHmac, generateKeyPairSync, type KeyObject, sign } from "node:crypto";

export interface SigningKey {
  readonly kid: string;
  readonly secret: KeyObject;
  /** The public key as SPKI in PEM, as in many providers' documentation. */
  readonly pem: string;
  readonly publicJwk: object;
  readonly privateJwk: object;
}

let made = 0;

export function newSigningKey(): SigningKey {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const kid = `key-${++made}`;
  const marks = { kid, alg: "ES256", use: "sig" };
  return {
    kid,
    secret: privateKey,
    pem: publicKey.export({ type: "spki", format: "pem" }).toString(),
    publicJwk: { ...publicKey.export({ format: "jwk" }), ...marks },
    privateJwk: { ...privateKey.export({ format: "jwk" }), ...marks },
  };
}

export interface JwtParts {
  header: { readonly [name: string]: unknown };
  claims: { readonly [name: string]: unknown };
}

/** Signed with ES256, whatever the header says. */
export function signed({ header, claims }: JwtParts, key: SigningKey): string {
  const text = `${encoded(header)}.${encoded(claims)}`;
  const signature = sign("sha256", Buffer.from(text), { key: key.secret, dsaEncoding: "ieee-p1363" });
  return `${text}.${signature.toString("base64url")}`;
}

/** Signed with HS256; `secret` is the value that a forger expects the verifier to use. */
export function signedWithHmac({ header, claims }: JwtParts, secret: string): string {
  const text = `${encoded(header)}.${encoded(claims)}`;
  return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
}

export function unsigned({ header, claims }: JwtParts, signature = ""): string {
  return `${encoded(header)}.${encoded(claims)}.${signature}`;
}

/** The parts of a JWT. */
export function partsOf(jwt: string): JwtParts {
  const [header = "", claims = ""] = jwt.split(".");
  return { header: decoded(header), claims: decoded(claims) };
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function decoded(text: string): { [name: string]: unknown } {
  return JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
}
