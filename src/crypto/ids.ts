// Random values: record ids that sort by time, and tokens that cannot be guessed.

/** Bytes from a secure source. `createRuntime` takes it as a parameter, so that tests can replace it. */
export type Random = (bytes: number) => Uint8Array;

export const systemRandom: Random = (bytes) => crypto.getRandomValues(new Uint8Array(bytes));

export type IdPrefix =
  | "ar"
  | "ac"
  | "te"
  | "tc"
  | "ta"
  | "gw"
  | "us"
  | "hk"
  | "pl"
  | "sec"
  | "fl"
  | "key"
  | "dk"
  | "au"
  | "bs"
  | "cg"
  | "wl";

/** A new record id: prefix, time (so that ids sort by creation time) and 80 random bits. */
export function newId(prefix: IdPrefix, now: number, random: Random): string {
  return `${prefix}_${timeText(now)}${random(10).toHex()}`;
}

/** Ids of this time or later sort after it. */
export function earliestId(prefix: IdPrefix, time: number): string {
  return `${prefix}_${timeText(Math.max(0, time))}`;
}

function timeText(ms: number): string {
  return ms.toString(16).padStart(12, "0");
}

const MOST_PER_MILLISECOND = 0x10000;

/**
 * A record id that sorts after `newest`, the last id of its list, even within a millisecond and when the clock is set back.
 * It has 64 random bits. If it is created in the transaction that adds the record, the ids of all processes sort in the order
 * of their commits.
 */
export function idAfter(prefix: IdPrefix, newest: string | undefined, now: number, random: Random): string {
  const digits = newest?.slice(prefix.length + 1) ?? "";
  const latest = Number.parseInt(digits.slice(0, 12) || "0", 16);
  const count = now > latest ? 0 : Number.parseInt(digits.slice(12, 16) || "0", 16) + 1;
  const time = now > latest ? now : latest + Math.floor(count / MOST_PER_MILLISECOND);
  const position = (count % MOST_PER_MILLISECOND).toString(16).padStart(4, "0");
  return `${prefix}_${timeText(time)}${position}${random(8).toHex()}`;
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
