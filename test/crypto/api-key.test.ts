// The format of API keys: a typo is distinguished from a revoked key without a database read.
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

  test("contains all 256 bits and ends with the CRC-32 of its digits", () => {
    // Computed with another program: 2^256 - 1 in base 62, then the checksum of that text.
    expect(newApiKey(ones)).toBe("rt_yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp13sRzl1");
  });

  test("differs from ten thousand others", () => {
    const keys = new Set(Array.from({ length: 10_000 }, () => newApiKey(systemRandom)));

    expect(keys.size).toBe(10_000);
  });

  test("has a visible prefix of rt_ and six digits", () => {
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

  test("catches every swap of two different neighbours", () => {
    const key = newApiKey(systemRandom);
    const swaps = Array.from({ length: key.length - 1 }, (_, at) => {
      return key.slice(0, at) + (key[at + 1] ?? "") + (key[at] ?? "") + key.slice(at + 2);
    });

    expect(swaps.filter((swapped) => swapped !== key && isApiKey(swapped))).toEqual([]);
  });
});

describe("a text that is not an API key", () => {
  const key = newApiKey(zeros);
  test.each([
    ["empty text", ""],
    ["the prefix alone", "rt_"],
    ["a key without its last digit", key.slice(0, -1)],
    ["a key with one more digit", `${key}0`],
    ["a key with a line end", `${key}\n`],
    ["a key with a blank in front", ` ${key}`],
    ["another prefix", key.replace("rt_", "sk_")],
    ["capitals", key.toUpperCase()],
    ["a sign outside the alphabet", key.replace("0", "-")],
  ])("%s is refused", (_name, text) => {
    expect(isApiKey(text)).toBe(false);
  });

  test("the original key is an API key", () => {
    expect(isApiKey(key)).toBe(true);
  });
});
