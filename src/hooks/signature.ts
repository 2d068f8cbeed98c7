// Signatures of requests (Standard Webhooks 1.0.0, standardwebhooks.com), by which receivers verify origin, integrity and
// age. The scheme is a single HMAC, so no library is used.

const PREFIX = "whsec_";

/** The bytes of a signing secret; undefined if it is not valid. */
export function signingKey(secret: string): Buffer | undefined {
  const text = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret;
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined;
  const key = Buffer.from(text, "base64");
  return key.length >= 24 && key.length <= 64 ? key : undefined;
}

/**
 * The three headers. `keys`: one signature each, separated by spaces, so that receivers accept either secret while it is
 * replaced. `seconds`: since the epoch. `id`: the same for all attempts to send a message.
 */
export function signatureHeaders(
  keys: readonly Buffer[],
  id: string,
  seconds: number,
  body: string,
): Record<string, string> {
  const signatures = keys.map(
    (key) => `v1,${new Bun.CryptoHasher("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64")}`,
  );
  return {
    "webhook-id": id,
    "webhook-timestamp": String(seconds),
    "webhook-signature": signatures.join(" "),
  };
}
