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
 * Returns a generator of record ids that sort in the order of creation in this process, even within a millisecond and
 * when the clock steps back. They have 64 random bits.
 */
export function orderedIds(prefix: IdPrefix, random: Random): (now: number) => string {
  let latest = 0;
  let start = firstIdAt(prefix, latest);
  let count = 0;
  return (now) => {
    count = now > latest ? 0 : (count + 1) % MOST_PER_MILLISECOND;
    if (count === 0) {
      latest = now > latest ? now : latest + 1;
      start = firstIdAt(prefix, latest);
    }
    // The leading digit, which is cut off, preserves the zeros of a small count.
    return start + (MOST_PER_MILLISECOND + count).toString(16).slice(1) + random(8).toHex();
  };
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
