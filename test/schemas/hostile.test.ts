// Schemas that are made to break, slow down or mislead what reads them. A test that hangs fails.
import { afterEach, describe, expect, test } from "bun:test";
import { Compile } from "typebox/schema";
import { parseJson } from "../../src/base";
import { checkForeignSchema, foreignErrors } from "../../src/schemas";
import { hostileSchemas, nested } from "./hostile-schemas";

declare global {
  var broken: unknown;
}

afterEach(() => {
  delete globalThis.broken;
});

function schemaOf(given: unknown): { [key: string]: unknown } {
  const checked = checkForeignSchema(given);
  if ("reason" in checked) throw new Error(checked.reason);
  return checked.schema;
}

describe("is refused with its reason:", () => {
  test.each<[string, unknown, string]>([
    ["100,000 levels", nested(100_000), "64 levels"],
    ["3,000 levels", nested(3000), "64 levels"],
    ["65 levels of lists", { a: listed(64) }, "64 levels"],
    ["1 MB in one text", { type: "object", description: "x".repeat(1024 * 1024) }, "256 KB"],
    ["1 MB in one name", { type: "object", properties: { ["x".repeat(1024 * 1024)]: {} } }, "256 KB"],
    ["more than 256 KB of UTF-8", { type: "object", description: "ä".repeat(200 * 1024) }, "256 KB"],
    ["a million entries", { type: "object", enum: Array.from({ length: 1_000_000 }, () => 0) }, "256 KB"],
  ])("%s", (_what, schema, reason) => {
    expect(checkForeignSchema(schema)).toEqual({ reason: expect.stringContaining(reason) });
  });
});

test("64 levels are taken", () => {
  expect(checkForeignSchema({ a: listed(63) })).toHaveProperty("schema");
});

describe.each(hostileSchemas())("$name", ({ schema, inputs }) => {
  test("compiles if it is taken, and checks its inputs", () => {
    const checked = checkForeignSchema(schema);
    if ("reason" in checked) return expect(checked.reason).toMatch(/\.$/);
    expect(() => Compile(checked.schema)).not.toThrow();
    for (const input of inputs) expect(Array.isArray(foreignErrors(checked.schema, input))).toBe(true);
  });
});

describe("does nothing:", () => {
  const code = "globalThis.broken = 1";
  test.each<[string, object, object]>([
    [
      "code in the name of a property",
      { properties: { [`a"]; ${code}; ["`]: { type: "integer" } } },
      { a: 1 },
    ],
    [
      "code in a template",
      { properties: { [`\${${code}}`]: { const: `\`;${code};\`` } } },
      { [`\${${code}}`]: "x" },
    ],
    ["code in a value", { properties: { a: { enum: [`\`;${code};\``, "\u2028", "\\"] } } }, { a: "b" }],
    ["code in a pattern", { properties: { a: { pattern: `\`;${code};/` } } }, { a: "b" }],
    ["code in a required name", { required: [`"); ${code}; ("`] }, {}],
    ["code in a reference", { properties: { a: { $ref: `#/$defs/"); ${code}; ("` } } }, { a: 1 }],
    ["code in a title", { title: `*/ ${code} /*`, $comment: `\n${code}` }, {}],
    ["functions of the validator", { "~refine": [{ check: code, error: code }], "~kind": "Any" }, { a: 1 }],
  ])("%s", (_what, schema, input) => {
    const checked = schemaOf({ type: "object", ...schema });
    foreignErrors(checked, input);
    Compile(checked).Check(input);
    expect(globalThis.broken).toBeUndefined();
  });
});

describe("special names are names:", () => {
  test.each([
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "then",
    "$ref",
    "default",
    "~0",
    "a/b",
    "",
  ])("%j", (name) => {
    const given = parseJson(
      `{"type":"object","properties":{${JSON.stringify(name)}:{"type":"integer"}},"required":[${JSON.stringify(name)}],"additionalProperties":false}`,
    );
    const schema = schemaOf(given);
    expect(JSON.stringify(schema)).toBe(JSON.stringify(given));
    const input = (value: number | string) =>
      JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(value)}}`);
    expect(foreignErrors(schema, input(1))).toEqual([]);
    expect(foreignErrors(schema, input("a"))).not.toEqual([]);
    expect(foreignErrors(schema, {})).not.toEqual([]);
    expect(Object.getPrototypeOf(schema["properties"])).toBe(Object.prototype);
  });
});

test("an error repeats no name and no value of the input that the schema does not have", () => {
  const schema = schemaOf({
    type: "object",
    properties: {
      headers: { type: "object", additionalProperties: { type: "string", pattern: "^[a-z]+$" } },
      body: { type: "object", properties: { kind: { enum: ["a", "b"] } }, additionalProperties: false },
      names: { type: "object", propertyNames: { maxLength: 3 } },
      list: { type: "array", uniqueItems: true, items: { not: { const: "sk-secret" } } },
    },
    unevaluatedProperties: false,
  });
  const secret = "sk-secret-0123456789";
  const errors = foreignErrors(schema, {
    headers: { [secret]: secret.toUpperCase(), other: 1 },
    body: { [secret]: 1, kind: secret },
    names: { [secret]: 1 },
    list: [secret, secret, "sk-secret"],
    [secret]: secret,
  });
  expect(errors.length).toBeGreaterThan(4);
  expect(JSON.stringify(errors)).not.toMatch(/sk-secret/i);
});

test("reasons are short, one line each, and not more than 51", () => {
  const properties = Object.fromEntries(
    Array.from({ length: 300 }, (_, index) => [`${index}\u202e\n${"x".repeat(300)}`, { type: "int" }]),
  );
  const checked = checkForeignSchema({ type: "object", properties });
  if ("reason" in checked) throw new Error(checked.reason);
  expect(checked.dropped).toHaveLength(51);
  expect(checked.dropped.at(-1)).toBe("and 250 more");
  expect(checked.dropped.filter((reason) => /[\n\u202e]/.test(reason) || reason.length > 300)).toEqual([]);
});

test("bounds with more digits than a double has stay bounds, values keep their digits", () => {
  const schema = schemaOf(
    parseJson(
      '{"type":"object","properties":{"a":{"type":"integer","maximum":18446744073709551615},"b":{"const":12345678901234567890}}}',
    ),
  );
  expect(schema["properties"]).toEqual({
    a: { type: "integer", maximum: 18446744073709552000 },
    b: { const: "12345678901234567890" },
  });
});

function listed(levels: number): unknown {
  return levels === 0 ? [] : Array.from({ length: levels }).reduce<unknown>((inner) => [inner], 0);
}
