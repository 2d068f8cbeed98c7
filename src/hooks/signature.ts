// Standard Webhooks 1.0.0 (standardwebhooks.com): how a receiver knows that a request is ours, whole and fresh. The
// scheme is one HMAC; a library would be longer than it.

const PREFIX = "whsec_";

/** The bytes of a signing secret; undefined when it is none. */
export function signingKey(secret: string): Buffer | undefined {
  const text = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret;
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined;
  const key = Buffer.from(text, "base64");
  return key.length >= 24 && key.length <= 64 ? key : undefined;
}

/** The three headers. `seconds` since the epoch. `id` is the same for every attempt at one message. */
export function signatureHeaders(
  key: Buffer,
  id: string,
  seconds: number,
  body: string,
): Record<string, string> {
  const signature = new Bun.CryptoHasher("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64");
  return {
    "webhook-id": id,
    "webhook-timestamp": String(seconds),
    "webhook-signature": `v1,${signature}`,
  };
}
