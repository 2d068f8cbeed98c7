// JSON Schema in the part that Gemini takes.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { extensions } from "../../catalogs";
import { geminiParameters, geminiSchema } from "../../src/tools/formats/gemini";
import { formatted } from "../../src/tools/formats";
import { Registry } from "../../src/tools/registry";
import { geminiFaults } from "./gemini-faults";

describe("a schema", () => {
  test.each<[string, object, object]>([
    [
      "a bound that is excluded, of an integer",
      { type: "integer", exclusiveMinimum: 0, exclusiveMaximum: 9 },
      { type: "integer", minimum: 1, maximum: 8 },
    ],
    [
      "a bound that is excluded, of a number",
      { type: "number", exclusiveMinimum: 0 },
      { type: "number", minimum: 0 },
    ],
    [
      "two bounds at once",
      { type: "integer", minimum: 5, exclusiveMinimum: 1 },
      { type: "integer", minimum: 5 },
    ],
    ["one text", { const: "a" }, { type: "string", enum: ["a"] }],
    ["one number", { const: 3, description: "N." }, { type: "integer", description: "N. One of: 3." }],
    ["some numbers", { type: "integer", enum: [1, 2] }, { type: "integer", description: "One of: 1, 2." }],
    ["some texts, an empty one among them", { enum: ["", "a"] }, { type: "string", enum: ["a"] }],
    [
      "a type or null [fault: gemini-keywords]",
      { type: ["string", "null"], maxLength: 3 },
      { type: "string", maxLength: 3, nullable: true },
    ],
    [
      "one of two types",
      { type: ["string", "integer"], description: "D." },
      {
        description: "D.",
        anyOf: [
          { type: "string", description: "D." },
          { type: "integer", description: "D." },
        ],
      },
    ],
    [
      "a schema or null",
      { anyOf: [{ type: "string" }, { type: "null" }], description: "D." },
      { type: "string", description: "D.", nullable: true },
    ],
    [
      "one of",
      { oneOf: [{ type: "string" }, { type: "boolean" }] },
      { anyOf: [{ type: "string" }, { type: "boolean" }] },
    ],
    [
      "all of",
      {
        allOf: [
          { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
          { properties: { b: { type: "integer" } }, required: ["b"] },
        ],
      },
      { type: "object", properties: { a: { type: "string" }, b: { type: "integer" } }, required: ["a", "b"] },
    ],
    [
      "a free map",
      {
        type: "object",
        patternProperties: { "^.*$": { type: "string" } },
        propertyNames: { pattern: "x" },
        additionalProperties: { type: "string" },
      },
      { type: "object" },
    ],
    [
      "an object without properties",
      { type: "object", properties: {}, required: [], additionalProperties: false },
      { type: "object" },
    ],
    [
      "what is required but is not there",
      { type: "object", properties: { a: { type: "string" } }, required: ["a", "b"] },
      { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
    ],
    [
      "a list of anything",
      { type: "array", uniqueItems: true },
      { type: "array", items: { type: "string" } },
    ],
    [
      "a tuple",
      { type: "array", prefixItems: [{ type: "string" }, { type: "integer" }] },
      { type: "array", items: { anyOf: [{ type: "string" }, { type: "integer" }] } },
    ],
    ["anything", {}, { type: "string" }],
    [
      "keywords of the language",
      {
        $schema: "x",
        $id: "y",
        $comment: "z",
        type: "string",
        examples: ["a"],
        readOnly: true,
        contentEncoding: "base64",
      },
      { type: "string" },
    ],
    [
      "formats that it knows",
      { type: "string", format: "date-time" },
      { type: "string", format: "date-time" },
    ],
    ["formats that it does not know", { type: "string", format: "uri" }, { type: "string" }],
    [
      "conditions",
      { type: "string", if: { const: "a" }, else: { maxLength: 1 }, not: { const: "b" } },
      { type: "string" },
    ],
    [
      "a property that is called like a keyword",
      { type: "object", properties: { const: { type: "string" }, $ref: { type: "string" } } },
      { type: "object", properties: { const: { type: "string" }, $ref: { type: "string" } } },
    ],
  ])("converts %s", (_what, schema, expected) => {
    expect(geminiSchema(schema)).toEqual({ ...expected });
  });

  test("is translated at every depth", () => {
    const deep = (inner: object) => ({
      type: "object",
      properties: {
        list: {
          type: "array",
          items: { anyOf: [{ type: "object", properties: { deep: inner } }, { type: "string" }] },
        },
      },
    });

    expect(geminiSchema(deep({ type: ["integer", "null"], exclusiveMinimum: 0, $schema: "x" }))).toEqual(
      deep({ type: "integer", minimum: 1, nullable: true }),
    );
  });

  test("without parameters is left out", () => {
    expect(geminiParameters({ type: "object", properties: {}, required: [] })).toBeUndefined();
  });

  test("of every tool of the catalogs has only known keywords", () => {
    for (const tool of new Registry(extensions.catalogs).tools) {
      const { parameters } = Object(formatted(tool, "gemini"));
      if (parameters !== undefined) expect(geminiFaults(parameters)).toEqual([]);
    }
  });

  test("of whatever form holds known keywords only [fault: gemini-keywords]", () => {
    const { schema } = fc.letrec((tie) => ({
      inner: fc.oneof({ maxDepth: 3 }, fc.constant({}), tie("schema")),
      schema: fc.record(
        {
          type: fc.constantFrom("object", "array", "string", "integer", "null", ["string", "null"], ["null"]),
          const: fc.constantFrom(null, "a", 1, true),
          enum: fc.array(fc.constantFrom("a", "", 1, null)),
          exclusiveMinimum: fc.integer(),
          propertyNames: fc.constant({ pattern: "x" }),
          additionalProperties: fc.boolean(),
          $schema: fc.constant("x"),
          items: tie("inner"),
          prefixItems: fc.array(tie("inner"), { maxLength: 2 }),
          properties: fc.dictionary(fc.constantFrom("a", "b"), tie("inner")),
          required: fc.constant(["a", "c"]),
          anyOf: fc.array(tie("inner"), { maxLength: 3 }),
          oneOf: fc.array(tie("inner"), { maxLength: 2 }),
          allOf: fc.array(tie("inner"), { maxLength: 2 }),
        },
        { requiredKeys: [] },
      ),
    }));
    fc.assert(
      fc.property(schema, (given) => {
        expect(geminiFaults(geminiSchema(given))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});
