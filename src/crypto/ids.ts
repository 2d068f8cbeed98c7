// Random values: record ids that sort by time, and tokens that cannot be guessed.

/** Bytes from a secure source. `createRuntime` takes it as a parameter, so that tests can replace it. */
export type Random = (bytes: number) => Uint8Array;

export const systemRandom: Random = (bytes) => crypto.getRandomValues(new Uint8Array(bytes));

export type IdPrefix =
  "ar" | "ac" | "te" | "tc" | "ta" | "gw" | "us" | "hk" | "pl" | "sec" | "fl" | "key" | "dk" | "au";

/** A new record id: prefix, time (so that ids sort by creation time) and 80 random bits. */
export function newId(prefix: IdPrefix, now: number, random: Random): string {
  return `${prefix}_${timeText(now)}${random(10).toHex()}`;
}

/** A lower bound for the record ids that are created at or after a time (ms). */
export function firstIdAt(prefix: IdPrefix, time: number): string {
  return `${prefix}_${timeText(time)}`;
}

function timeText(ms: number): string {
  return ms.toString(16).padStart(12, "0");
}

const MOST_PER_MILLISECOND = 0x10000;

/**
 * A record id that sorts after `last`, which is one of the same prefix, even if the clock of the process that made that one
 * is ahead. It has 64 random bits.
 */
export function idAfter(prefix: IdPrefix, last: string | undefined, now: number, random: Random): string {
  const at = prefix.length + 1;
  const time = Number.parseInt(last?.slice(at, at + 12) ?? "", 16) || 0;
  const count = now > time ? 0 : (Number.parseInt(last?.slice(at + 12, at + 16) ?? "", 16) || 0) + 1;
  const carry = count === MOST_PER_MILLISECOND;
  const start = firstIdAt(prefix, carry ? time + 1 : Math.max(now, time));
  return start + (MOST_PER_MILLISECOND + (carry ? 0 : count)).toString(16).slice(1) + random(8).toHex();
}

/** A secret of 256 random bits, as base64url text of 43 characters. */
export function newToken(random: Random): string {
  return Buffer.from(random(32)).toString("base64url");
}

/** SHA-256 as hex: high-entropy secrets are stored and looked up in this form. */
export function hashOf(text: string): string {
  return Bun.CryptoHasher.hash("sha256", text, "hex");
}

/** Compares in constant time. Hashes first, because `timingSafeEqual` throws on different lengths. */
export function sameSecret(left: string, right: string): boolean {
  const digest = (text: string): Buffer => new Bun.CryptoHasher("sha256").update(text).digest();
  return crypto.timingSafeEqual(digest(left), digest(right));
}
