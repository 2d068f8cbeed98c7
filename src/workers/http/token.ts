// The token that authenticates this server at an HTTP worker (JWT, RFC 7519, with HMAC and SHA-256). It is not bound to a
// request, so each request gets a new one that expires soon.
import { Redacted } from "../../base";
import { signedToken, unsignedToken } from "../../crypto";

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
  const unsigned = unsignedToken(header, claims);
  const signature = new Bun.CryptoHasher("sha256", secret.reveal()).update(unsigned).digest();
  return new Redacted(signedToken(unsigned, signature));
}

/** The value of the `Authorization` header. */
export function bearer(token: Redacted): Redacted {
  return new Redacted(`Bearer ${token.reveal()}`);
}
