// Ids that sort by time, tokens, hashes, and a constant-time comparison of texts.
import { describe, expect, test } from "bun:test";
import { hashOf, idAfter, newId, newToken, sameSecret, systemRandom } from "../../src/crypto";

describe("ids", () => {
  test("sort by creation time, whatever their random part", () => {
    const times = [0, 1, 255, 256, 999_999, 1_700_000_000_000, 1_700_000_000_001, 4_102_444_800_000];
    const descending = (time: number, index: number): string =>
      newId("ar", time, (bytes) => new Uint8Array(bytes).fill(255 - index));
    const ids = times.map(descending);

    expect(ids.toSorted()).toEqual(ids);
  });

  test("have a prefix, the time and 80 random bits", () => {
    const random = (bytes: number): Uint8Array => new Uint8Array(bytes).fill(0xab);

    expect(newId("sec", 0x18bcfe56800, random)).toBe(`sec_018bcfe56800${"ab".repeat(10)}`);
  });

  test("of one millisecond differ", () => {
    const ids = new Set(Array.from({ length: 10_000 }, () => newId("ac", 1, systemRandom)));

    expect(ids.size).toBe(10_000);
  });
});

describe("ids that continue a list", () => {
  test("sort by order of creation: within a millisecond, when the clock steps back, and past 65,536 of them", () => {
    const times = [5, 5, 5, 6, 4, 4, ...Array.from({ length: 70_000 }, () => 7), 8, 7_000];
    const ids: string[] = [];
    for (const time of times) ids.push(idAfter("au", ids.at(-1), time, systemRandom));

    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids.map(({ length }) => length))).toEqual(new Set([newId("au", 5, systemRandom).length]));
  });

  test("sort after an id with a random part only", () => {
    const newest = newId("au", 1000, (bytes) => new Uint8Array(bytes).fill(255));
    const ids = [999, 1000, 1001].map((now) => idAfter("au", newest, now, systemRandom));

    expect(ids.map((id) => id > newest)).toEqual([true, true, true]);
  });

  test("of two processes differ in 64 random bits", () => {
    expect(idAfter("au", undefined, 5, systemRandom)).not.toBe(idAfter("au", undefined, 5, systemRandom));
  });
});

describe("tokens", () => {
  test("are 43 characters of base64url", () => {
    expect(newToken(systemRandom)).toMatch(/^[A-Za-z0-9_-]{43}$/);
  });

  test("contain every random bit", () => {
    expect(newToken((bytes) => new Uint8Array(bytes).fill(255))).toBe(`${"_".repeat(42)}8`);
  });
});

test("a hash is SHA-256 in hex", () => {
  // FIPS 180-2, appendix B.1.
  expect(hashOf("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});

describe("comparing secrets", () => {
  test.each([
    ["the same text", "secret", "secret", true],
    ["two empty texts", "", "", true],
    ["the same letters beyond ASCII", "ключ", "ключ", true],
    ["another last letter", "secret", "secres", false],
    ["a shorter text", "secret", "secre", false],
    ["a longer text", "secret", "secret2", false],
    ["nothing", "secret", "", false],
    ["another case", "secret", "Secret", false],
  ])("%s", (_name, left, right, same) => {
    expect(sameSecret(left, right)).toBe(same);
  });
});
