// The canonical form of JSON.
import { expect, test } from "bun:test";
import { canonicalJson, parseJson } from "../../src/base";

test("names are sorted in all objects, and lists keep their order", () => {
  const value = { b: [{ d: 1, c: 2 }, "x"], a: undefined, A: null };

  expect(canonicalJson(value)).toBe('{"A":null,"b":[{"c":2,"d":1},"x"]}');
});

test("a member called __proto__ counts", () => {
  const value = parseJson('{"a":{"__proto__":{"b":1}}}');

  expect(canonicalJson(value)).toBe('{"a":{"__proto__":{"b":1}}}');
});

test("numbers with many digits keep them", () => {
  expect(canonicalJson({ id: JSON.rawJSON("12345678901234567890") })).toBe('{"id":12345678901234567890}');
});
