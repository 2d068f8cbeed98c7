// The token that authenticates this server at an HTTP worker (JWT, RFC 7519, with HMAC and SHA-256). It is not bound to a
// request, so each request gets a new one that expires soon.
import { Redacted } from "../../base";

/** For clocks that differ: libraries refuse a token of the future without leeway. */
const EARLIER_S = 5;
const VALID_S = 60;

/** `nowMs`: milliseconds since the epoch. */
export function workerToken(secret: Redacted, nowMs: number): Redacted {
  const header = { alg: "HS256", typ: "JWT" };
  const now = Math.floor(nowMs / 1000);
  const claims = {
    aud: "worker",
    ver: "1",
    iat: now - EARLIER_S,
    exp: now + VALID_S,
    jti: crypto.randomUUID(),
  };
  const signed = `${encoded(header)}.${encoded(claims)}`;
  const signature = new Bun.CryptoHasher("sha256", secret.reveal()).update(signed).digest("base64url");
  return new Redacted(`${signed}.${signature}`);
}

/** The value of the `Authorization` header. */
export function bearer(token: Redacted): Redacted {
  return new Redacted(`Bearer ${token.reveal()}`);
}

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString("base64url");
}
