// JSON without loss of precision: record ids of 19 digits pass through unchanged.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { isObject, jsonObjectIn, parseJson } from "../../src/base";

const ID = "3000000000000123457";

describe("integers outside the safe range become strings with their exact digits", () => {
  test.each<[string, string, unknown]>([
    ["alone", ID, ID],
    ["in an object", `{"id":${ID}}`, { id: ID }],
    ["in a list", `[1,${ID},2]`, [1, ID, 2]],
    ["at every depth", `{"a":[{"b":{"c":[[${ID}]]}}],"d":${ID}}`, { a: [{ b: { c: [[ID]] } }], d: ID }],
    ["negative", `[-${ID}]`, [`-${ID}`]],
    ["the first one above the safe range", "9007199254740992", "9007199254740992"],
    ["the first one below it", "-9007199254740992", "-9007199254740992"],
    ["one that rounds to a neighbour", "9007199254740993", "9007199254740993"],
    ["of forty digits", "1234567890".repeat(4), "1234567890".repeat(4)],
    ["surrounded by whitespace", `{ "id" : \n ${ID} }`, { id: ID }],
    ["next to smaller ones", `{"id":${ID},"count":7,"ratio":0.5}`, { id: ID, count: 7, ratio: 0.5 }],
    ["under a duplicate key", `{"id":1,"id":${ID}}`, { id: ID }],
  ])("%s", (_where, text, expected) => {
    expect(parseJson(text)).toEqual(expected as never);
  });
});

describe("everything else is parsed as by JSON.parse", () => {
  test.each([
    ["the largest safe integer", "9007199254740991"],
    ["the smallest safe integer", "-9007199254740991"],
    ["a float", "[0.1,-2.5e-3]"],
    ["a float with many digits", "0.12345678901234567890"],
    ["a float with a whole part of many digits", "12345678901234567.5"],
    ["a whole number written as a float", "12345678901234567890.0"],
    ["a number with an exponent", "[1e20,1E+20,12345678901234567e3]"],
    ["minus zero", "[-0]"],
    ["text of digits", `{"id":"${ID}","note":"call ${ID} now"}`],
    ["a key of digits", `{"${ID}":1}`],
    ["text that contains JSON", JSON.stringify({ body: `{"id":${ID}}` })],
    ["true, false and null", "[true,false,null]"],
    ["empty containers next to a long number in text", `{"a":{},"b":[],"c":"${ID}"}`],
    ["a key named __proto__", `{"__proto__":{"id":1},"long":"${ID}"}`],
  ])("%s", (_what, text) => {
    expect(parseJson(text)).toStrictEqual(JSON.parse(text));
  });

  test.each([
    ["empty text", ""],
    ["an open object", `{"id":${ID}`],
    ["a trailing comma", `[${ID},]`],
    ["a number with a leading zero", `0${ID}`],
    ["two values", `${ID} ${ID}`],
    ["a word", "undefined"],
    ["a long number as a key", `{${ID}:1}`],
    ["a long number as a key, before spaces", `{"a":1,${ID} \n:1}`],
    ["two minus signs", `--${ID}`],
    ["text that does not end", `["\\\\\\",${ID}]`],
  ])("%s throws SyntaxError", (_what, text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
  });
});

test("any text gives the result of a parser that sees each number", () => {
  const part = fc.constantFrom(
    ...`{ } [ ] , : " \\" \\\\ - . e 0 1 a null ${ID} -${ID}`.split(" "),
    "\n",
    " ",
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      const text = parts.join("");
      expect(outcome(() => parseJson(text))).toEqual(outcome(() => parseSlowly(text)));
    }),
    { numRuns: 20_000, seed: 1 },
  );
});

function parseSlowly(text: string): unknown {
  return JSON.parse(text, (_key, value: unknown, context?: { source?: string }) =>
    Number.isInteger(value) && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? "")
      ? context?.source
      : value,
  );
}

function outcome(parse: () => unknown): unknown {
  try {
    return { value: parse() };
  } catch (error) {
    return { error: Object(error).name };
  }
}

test.each<[string, unknown, boolean]>([
  ["an object", {}, true],
  ["a list", [], false],
  ["null", null, false],
  ["text", "{}", false],
  ["nothing", undefined, false],
])("isObject: %s", (_what, value, expected) => {
  expect(isObject(value)).toBe(expected);
});

describe("an object from outside", () => {
  test.each<[string, string]>([
    ["a text with the NUL character", String.raw`{"id":"a\u0000b"}`],
    ["the NUL character in a list", String.raw`{"ids":["a",["\u0000"]]}`],
    ["the NUL character in a key", String.raw`{"a":{"\u0000":1}}`],
    ["a list", "[]"],
    ["null", "null"],
    ["half of an object", '{"id":1'],
    ["deep nesting", `{"a":${"[".repeat(2000)}${"]".repeat(2000)}}`],
  ])("%s is not one", (_what, text) => {
    expect(jsonObjectIn(text)).toBeUndefined();
  });

  test("half of a surrogate pair becomes U+FFFD, an escaped backslash is kept", () => {
    const text = String.raw`{"id":"a\ud800b","note":"\\u0000"}`;

    expect(jsonObjectIn(text)).toEqual({ id: "a\uFFFDb", note: String.raw`\u0000` });
  });
});
