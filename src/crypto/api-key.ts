// The format of API keys. Secret scanners look for the prefix `rt_`; the checksum at the end distinguishes a typo from a
// revoked key without a database read.
import type { Random } from "./ids";

const PREFIX = "rt_";
const BODY_LENGTH = 43;
const CHECK_LENGTH = 6;
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const FORM = new RegExp(`^${PREFIX}[0-9A-Za-z]{${BODY_LENGTH + CHECK_LENGTH}}$`);

/** A new key of 256 random bits: `rt_` + 43 base-62 digits + 6 digits of CRC-32. */
export function newApiKey(random: Random): string {
  const value = BigInt(`0x${Buffer.from(random(32)).toString("hex")}`);
  const body = base62(value, BODY_LENGTH);
  return PREFIX + body + checksum(body);
}

/** Whether a text has the format and the checksum of an API key. The key need not exist. */
export function isApiKey(text: string): boolean {
  if (!FORM.test(text)) return false;
  const body = text.slice(PREFIX.length, PREFIX.length + BODY_LENGTH);
  return text.endsWith(checksum(body));
}

/** The part of a key that may be shown later, so that a person can recognize the key. */
export function visiblePrefix(key: string): string {
  return key.slice(0, PREFIX.length + 6);
}

/** The same part of a text that is meant as a key. Undefined for a text that cannot be one. */
export function prefixOfKeyLike(text: string): string | undefined {
  const prefix = visiblePrefix(text.slice(0, PREFIX.length + 6));
  return prefix.length === PREFIX.length + 6 && /^rt_[0-9A-Za-z]+$/.test(prefix) ? prefix : undefined;
}

function checksum(body: string): string {
  return base62(BigInt(Bun.hash.crc32(body)), CHECK_LENGTH);
}

function base62(value: bigint, length: number): string {
  let digits = "";
  for (let rest = value; digits.length < length; rest /= 62n)
    digits = ALPHABET.charAt(Number(rest % 62n)) + digits;
  return digits;
}
