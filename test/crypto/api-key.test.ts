// The form of API keys: a typo is told from a revoked key without a look at the database.
import { describe, expect, test } from "bun:test";
import { isApiKey, newApiKey, systemRandom, visiblePrefix } from "../../src/crypto";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const zeros = (bytes: number): Uint8Array => new Uint8Array(bytes);
const ones = (bytes: number): Uint8Array => new Uint8Array(bytes).fill(255);

describe("a new API key", () => {
  test("is rt_, 43 digits and 6 digits of checksum", () => {
    expect(newApiKey(systemRandom)).toMatch(/^rt_[0-9A-Za-z]{49}$/);
  });

  test.each([
    ["the smallest value", zeros],
    ["the largest value", ones],
    ["a random value", systemRandom],
  ])("of %s is well formed", (_name, random) => {
    expect(isApiKey(newApiKey(random))).toBe(true);
  });

  test("keeps all 256 bits, and ends with the CRC-32 of its digits", () => {
    // Worked out apart from this program: 2^256 - 1 in base 62, then the checksum of that text.
    expect(newApiKey(ones)).toBe("rt_yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp13sRzl1");
  });

  test("is another one each time, ten thousand times", () => {
    const keys = new Set(Array.from({ length: 10_000 }, () => newApiKey(systemRandom)));

    expect(keys.size).toBe(10_000);
  });

  test("shows rt_ and six digits later on", () => {
    expect(visiblePrefix(newApiKey(zeros))).toBe("rt_000000");
  });
});

describe("the checksum", () => {
  test("catches every change of a single character", () => {
    const key = newApiKey(systemRandom);
    const missed: string[] = [];
    for (let at = 0; at < key.length; at++) {
      for (const digit of ALPHABET) {
        const changed = key.slice(0, at) + digit + key.slice(at + 1);
        if (changed !== key && isApiKey(changed)) missed.push(changed);
      }
    }

    expect(missed).toEqual([]);
  });

  test("catches every swap of two neighbours that differ", () => {
    const key = newApiKey(systemRandom);
    const swaps = Array.from({ length: key.length - 1 }, (_, at) => {
      return key.slice(0, at) + (key[at + 1] ?? "") + (key[at] ?? "") + key.slice(at + 2);
    });

    expect(swaps.filter((swapped) => swapped !== key && isApiKey(swapped))).toEqual([]);
  });
});

describe("what is no API key", () => {
  const key = newApiKey(zeros);
  test.each([
    ["empty text", ""],
    ["the prefix alone", "rt_"],
    ["a key that lost its last digit", key.slice(0, -1)],
    ["a key with a digit too many", `${key}0`],
    ["a key with a line end", `${key}\n`],
    ["a key with a blank in front", ` ${key}`],
    ["another prefix", key.replace("rt_", "sk_")],
    ["capitals", key.toUpperCase()],
    ["a sign outside the alphabet", key.replace("0", "-")],
  ])("%s is refused", (_name, text) => {
    expect(isApiKey(text)).toBe(false);
  });

  test("the key that these are made from is one", () => {
    expect(isApiKey(key)).toBe(true);
  });
});
