// JSON from outside is made well-formed where it is read.
import { expect, test } from "bun:test";
import { parseJson, parseJsonPiece, parsePlainJson, wellFormed } from "../../src/base";
import { readJson } from "../../src/egress";

const HALVES = String.raw`{"a\ud800":["x\udc00",{"b":"\uD83D\uDE00 \ud83d"}],"n":1}`;
const MENDED = { "a\uFFFD": ["x\uFFFD", { b: "😀 \uFFFD" }], n: 1 };

test.each([
  ["of models and hooks", async () => parseJson(HALVES)],
  ["of a platform with doubles only", async () => parsePlainJson(HALVES)],
  ["of an answer of a platform", () => readJson(new Response(HALVES))],
])("halves of surrogate pairs become U+FFFD in the JSON %s", async (_what, read) => {
  expect(await read()).toEqual(MENDED);
});

test("text with a raw half becomes well-formed as well", () => {
  expect(parseJson('["\ud800"]')).toEqual(["\uFFFD"]);
});

test("escaped backslashes and whole pairs stay", () => {
  const text = String.raw`["\\ud800","\ud83d\ude00"]`;
  expect(parseJson(text)).toEqual(["\\ud800", "😀"]);
});

test("a piece of a stream keeps its halves, because the other one may follow", () => {
  expect(parseJsonPiece(String.raw`"\ud83d"`)).toBe("\ud83d");
});

test("a key that has a meaning in JavaScript stays a key", () => {
  const value: unknown = parseJson(String.raw`{"__proto__":"\ud800"}`);
  expect(Object.keys(wellFormed(value as object))).toEqual(["__proto__"]);
});
