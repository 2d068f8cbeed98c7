// Schemas as real servers send them: the same inputs are valid as for the server itself.
// oxlint-disable unicorn/no-thenable -- `then` is a keyword of JSON Schema
import { describe, expect, test } from "bun:test";
import { Compile } from "typebox/schema";
import { isObject } from "../../src/base";
import { checkForeignSchema, foreignErrors } from "../../src/schemas";
import { REAL_SCHEMAS } from "./real-schemas";

describe.each(REAL_SCHEMAS)("$name", ({ schema, valid, invalid, dropped = [] }) => {
  const checked = checkForeignSchema(schema);
  if ("reason" in checked) throw new Error(checked.reason);

  test("is taken", () => {
    expect(checked.dropped).toHaveLength(dropped.length);
    for (const [index, part] of dropped.entries()) expect(checked.dropped[index]).toContain(part);
    expect(checked.schema["type"]).toBe("object");
    expect(isObject(checked.schema["properties"])).toBe(true);
    expect(() => Compile(checked.schema)).not.toThrow();
  });

  test("is not changed by a second check", () => {
    expect(checkForeignSchema(checked.schema)).toEqual({ schema: checked.schema, dropped: [] });
  });

  test("takes the inputs that the worker takes", () => {
    for (const input of valid) expect([input, foreignErrors(checked.schema, input)]).toEqual([input, []]);
  });

  test("names the field of an input that the worker refuses", () => {
    for (const [input, field] of invalid) {
      const fields = foreignErrors(checked.schema, input).map((error) => error.field);
      expect([input, fields]).toEqual([input, expect.arrayContaining([field])]);
    }
    expect(invalid.length + valid.length).toBeGreaterThan(0);
  });
});

describe("references lead to the same schema afterwards", () => {
  test.each<[string, object]>([
    ["a pointer", { $ref: "#/$defs/A" }],
    ["a pointer with escapes", { $ref: "#/$defs/a~1b%20c" }],
    ["a pointer into a list", { $ref: "#/$defs/L/anyOf/1" }],
    ["a pointer to a place that is not a schema", { $ref: "#/x-shared/A" }],
    ["a pointer through null", { $ref: "#/$defs/N/items" }],
    ["an anchor", { $ref: "#a" }],
    ["a dynamic reference", { $dynamicRef: "#a" }],
    ["an id", { $ref: "https://example.com/a.json" }],
    ["a relative id", { $ref: "a.json" }],
    ["the bare name of a definition", { $ref: "A" }],
    ["several, one after the other", { $ref: "#/$defs/Chain" }],
  ])("%s", (_what, reference) => {
    const integer = { type: "integer" };
    const checked = checkForeignSchema({
      $id: "https://example.com/root.json",
      type: "object",
      properties: { value: reference },
      $defs: {
        A: { ...integer, $anchor: "a" },
        "a/b c": integer,
        L: { anyOf: [{ type: "string" }, integer] },
        N: { nullable: true, anyOf: [{ type: "array" }], items: integer },
        Chain: { $ref: "#/$defs/Link" },
        Link: { $ref: "#/$defs/A" },
        I: { ...integer, $id: "a.json" },
      },
      "x-shared": { A: integer },
    });
    if ("reason" in checked) throw new Error(checked.reason);
    expect(checked.dropped).toEqual([]);
    expect(foreignErrors(checked.schema, { value: 1 })).toEqual([]);
    expect(foreignErrors(checked.schema, { value: "a" })).toHaveLength(1);
  });

  test("an old draft ignores what is next to a reference", () => {
    const checked = checkForeignSchema({
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      properties: { a: { $ref: "#/definitions/A", minimum: 5, description: "One." } },
      definitions: { A: { type: "integer" } },
    });
    expect(checked).toMatchObject({
      schema: { properties: { a: { $ref: "#/definitions/A", description: "One." } } },
    });
    expect("schema" in checked && foreignErrors(checked.schema, { a: 1 })).toEqual([]);
  });
});

describe("what is left out never makes the check stricter than the worker's", () => {
  const lost = { pattern: "(" };
  test.each<[string, object, unknown]>([
    ["in a negation", { not: lost }, "a"],
    ["in a negation of a definition", { not: { $ref: "#/$defs/Lost" } }, "a"],
    ["in a condition", { if: lost, then: false }, "a"],
    ["in one of two alternatives", { oneOf: [{ type: "string" }, lost] }, "a"],
    ["in what at most one entry may be", { contains: lost, maxContains: 1 }, ["a", "b"]],
    ["with closed properties", { patternProperties: { "(": true }, additionalProperties: false }, { a: 1 }],
    [
      "in what evaluates properties",
      { allOf: [{ $ref: "https://x.example" }], unevaluatedProperties: false },
      { a: 1 },
    ],
    ["of several types", { type: ["string", "int"] }, 1],
    ["of a list of values that is empty", { enum: [] }, 1],
    ["of alternatives that are not schemas", { anyOf: [1, { type: "string" }] }, 1],
  ])("%s", (_what, schema, value) => {
    const checked = checkForeignSchema({
      type: "object",
      properties: { value: schema },
      $defs: { Lost: { allOf: [lost] } },
    });
    if ("reason" in checked) throw new Error(checked.reason);
    expect(checked.dropped).not.toEqual([]);
    expect(foreignErrors(checked.schema, { value })).toEqual([]);
  });
});

describe("a schema that is not one of an object is refused", () => {
  test.each<[unknown, string]>([
    [null, "not a JSON object"],
    [true, "not a JSON object"],
    ["{}", "not a JSON object"],
    [[], "not a JSON object"],
    [undefined, "not JSON"],
    [{ type: "array" }, "array"],
    [{ type: ["string", "null"] }, "object"],
    [{ anyOf: [{ type: "string" }, { type: "integer" }] }, "object"],
    [{ allOf: [{ type: "object" }, { type: "string" }] }, "object"],
    [{ enum: ["a"] }, "object"],
    [{ $ref: "#/$defs/A", $defs: { A: { type: "string" } } }, "object"],
  ])("%j", (schema, reason) => {
    expect(checkForeignSchema(schema)).toEqual({ reason: expect.stringContaining(reason) });
  });

  test("a value that JSON does not have", () => {
    expect(checkForeignSchema({ maximum: 1n })).toEqual({ reason: "The schema is not JSON." });
  });

  test("unless any root may be", () => {
    const schema = { type: "array", items: { type: "string" } };
    expect(checkForeignSchema(schema, "any")).toEqual({ schema, dropped: [] });
  });
});
