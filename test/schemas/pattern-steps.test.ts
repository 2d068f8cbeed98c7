// Tests of patterns spend steps, and a text that is too long for a pattern refuses no value.
// oxlint-disable unicorn/no-thenable -- `then` is a keyword of JSON Schema
import { describe, expect, test } from "bun:test";
import { checkForeignSchema, fitsForeign, foreignErrors } from "../../src/schemas";

function many<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

function schemaOf(given: object): object {
  const checked = checkForeignSchema({ type: "object", properties: { v: given } });
  if ("reason" in checked) throw new Error(checked.reason);
  return checked.schema;
}

function rulesOf(given: object, v: unknown): string[] {
  return foreignErrors(schemaOf(given), { v }).map(({ rule }) => rule);
}

const SLOW = many(400, (index) => ({ not: { pattern: `^a*a*[b-z]{${index + 1}}$` } }));
const NAMES = Object.fromEntries(many(2000, (index) => [`${"a".repeat(600)}${index}`, 1]));

describe("too many tests are refused:", () => {
  test.each<[string, object, unknown]>([
    ["many patterns", { items: { allOf: SLOW } }, many(100, () => "a".repeat(700))],
    ["many texts", { items: { not: { pattern: "^a*a*a*x$" } } }, many(20_000, () => "a".repeat(100))],
    ["patterns for names", { propertyNames: { allOf: SLOW } }, NAMES],
    [
      "patterns of names",
      { patternProperties: Object.fromEntries(many(400, (index) => [`a*b${index}`, {}])) },
      NAMES,
    ],
  ])("%s", (_what, given, value) => {
    expect(rulesOf(given, value)).toEqual(["complexity"]);
  });
});

test.each<[string, object, unknown]>([
  [
    "20,000 addresses",
    { items: { pattern: "^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$" } },
    many(20_000, (index) => `somebody${index}@mail.example.com`),
  ],
  ["1,000 long texts", { items: { not: { pattern: "<script" } } }, many(1000, () => "a".repeat(1000))],
  [
    "1,000 names and ten patterns",
    { patternProperties: Object.fromEntries(many(10, (index) => [`^x-${index}-[a-z]+$`, {}])) },
    Object.fromEntries(many(1000, (index) => [`x-1-some-header-${index}`, 1])),
  ],
])("%s are not too many", (_what, given, value) => {
  expect(rulesOf(given, value)).toEqual([]);
});

describe("a text that is too long for a pattern is taken:", () => {
  // Quadratic, so that it is tested with short texts only.
  const X = "x+[<>]";
  const long = "a".repeat(20_000);

  test.each<[string, object, unknown]>([
    ["in its own place", { pattern: X }, long],
    ["in a negation", { not: { pattern: X } }, long],
    ["in a negation of a negation", { not: { not: { pattern: X } } }, long],
    ["by one of several alternatives", { oneOf: [{ pattern: X }, { pattern: "^[a-z]" }] }, long],
    ["in a condition", { if: { properties: { t: { pattern: X } } }, then: { required: ["m"] } }, { t: long }],
    [
      "in a condition that it meets",
      { if: { properties: { t: { pattern: "a+b?$" } } }, else: { required: ["m"] } },
      { t: long },
    ],
    ["among entries of which few may match", { contains: { pattern: X }, maxContains: 1 }, [long, long]],
    ["by a reference", { not: { $ref: "#/$defs/x" }, $defs: { x: { pattern: X } } }, long],
    ["as a name", { propertyNames: { not: { pattern: X } } }, { [long]: 1 }],
    ["without what is evaluated", { oneOf: [{ properties: { t: { pattern: X } } }, {}] }, { t: long }],
  ])("%s", (_what, given, value) => {
    expect(rulesOf(given, value)).toEqual([]);
    expect(fitsForeign(schemaOf(given), { v: value })).toBe(true);
  });

  test.each<[string, object, unknown, string]>([
    ["a short one", { not: { pattern: X } }, "xx<", "not"],
    [
      "another part that is wrong",
      { properties: { t: { not: { pattern: X } }, n: { type: "integer" } } },
      { t: long, n: "" },
      "type",
    ],
    ["one of a pattern without a limit", { not: { pattern: "^[a-z]" } }, long, "not"],
    ["a long one that is tested", { not: { pattern: "[<>]" } }, `${long}<`, "not"],
  ])("but not %s", (_what, given, value, rule) => {
    expect(rulesOf(given, value)).toEqual([rule]);
  });
});

test.each<[string, object, unknown]>([
  ["a word in a long text", { not: { pattern: "[<>]" } }, "a".repeat(1600)],
  ["alternatives", { oneOf: [{ pattern: "https?://" }, { pattern: "^[a-z]" }] }, "a".repeat(1600)],
])("%s is found where it is", (_what, given, value) => {
  expect(rulesOf(given, value)).toEqual([]);
});
