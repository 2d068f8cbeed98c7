// Any JSON as a schema, and any JSON as an input.
import { expect, test } from "bun:test";
import fc from "fast-check";
import { Compile } from "typebox/schema";
import { checkForeignSchema, fitsForeign, foreignErrors } from "../../src/schemas";

const RUNS = 3000;
const NAMES = ["a", "b", "__proto__", "$ref", "a/b", ""];

const name = fc.constantFrom(...NAMES);
const reference = fc.oneof(
  fc.constantFrom(
    "#",
    "#/$defs/a",
    "#/definitions/b",
    "#/properties/a",
    "#a",
    "a",
    "https://x.example/a",
    "#/$defs/a~1b",
    "%",
  ),
  fc.string(),
);
const plain = fc.jsonValue({ maxDepth: 2 });
const value = fc.oneof(
  plain,
  fc.constantFrom<unknown>(0, -1, 1, 1.5, 12, true, false, null, "a", "", [], {}, "12345678901234567890", [
    "a",
  ]),
);

/** Mostly schemas, with mistakes. */
const { schema } = fc.letrec<{ schema: unknown; map: unknown; list: unknown }>((tie) => ({
  map: fc.oneof({ maxDepth: 3 }, fc.dictionary(name, tie("schema"), { maxKeys: 3 }), plain),
  list: fc.oneof({ maxDepth: 3 }, fc.array(tie("schema"), { maxLength: 3 }), plain),
  schema: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.boolean(),
    plain,
    fc.record(
      {
        type: fc.oneof(
          fc.constantFrom("object", "string", "integer", "number", "array", "null", "boolean", "int"),
          fc.array(fc.constantFrom("object", "string", "null", "int")),
          plain,
        ),
        properties: tie("map"),
        patternProperties: fc.oneof(
          fc.dictionary(fc.constantFrom("^a", "(a+)+", "(", "b$"), tie("schema"), { maxKeys: 2 }),
          plain,
        ),
        additionalProperties: tie("schema"),
        propertyNames: tie("schema"),
        required: fc.oneof(fc.array(name), plain),
        items: fc.oneof(tie("schema"), tie("list")),
        additionalItems: tie("schema"),
        prefixItems: tie("list"),
        contains: tie("schema"),
        maxContains: value,
        uniqueItems: value,
        anyOf: tie("list"),
        oneOf: tie("list"),
        allOf: tie("list"),
        not: tie("schema"),
        if: tie("schema"),
        then: tie("schema"),
        else: tie("schema"),
        dependencies: fc.oneof(tie("map"), fc.dictionary(name, fc.array(name))),
        dependentRequired: fc.oneof(fc.dictionary(name, fc.array(name)), plain),
        unevaluatedProperties: tie("schema"),
        enum: fc.oneof(fc.array(value), plain),
        const: value,
        nullable: value,
        minimum: value,
        exclusiveMinimum: value,
        multipleOf: value,
        minLength: value,
        pattern: fc.oneof(fc.constantFrom("^a+$", "(a+)+", "("), fc.string(), plain),
        format: value,
        $ref: reference,
        $dynamicRef: reference,
        $id: reference,
        $anchor: fc.oneof(name, plain),
        $defs: tie("map"),
        definitions: tie("map"),
        default: value,
        title: value,
        examples: value,
        $schema: fc.oneof(fc.constant("http://json-schema.org/draft-07/schema#"), plain),
      },
      { requiredKeys: [] },
    ),
  ),
}));

const input = fc.oneof(plain, fc.dictionary(name, value));

test("what is taken compiles, checks every input, and stays the same", () => {
  let taken = 0;
  fc.assert(
    fc.property(schema, fc.array(input, { maxLength: 3 }), (given, inputs) => {
      const before = JSON.stringify(given);
      const checked = checkForeignSchema(given);
      expect(JSON.stringify(given)).toBe(before);
      if ("reason" in checked) return expect(checked.reason).toMatch(/\.$/);
      taken++;
      const compiled = Compile(checked.schema);
      for (const each of inputs) {
        const isValid = foreignErrors(checked.schema, each).length === 0;
        expect(foreignErrors(checked.schema, each).every(({ message }) => message !== "")).toBe(true);
        // The prepared check takes all that the plain one takes: it does not look at formats.
        if (compiled.Check(each))
          expect([checked.schema, each, isValid]).toEqual([checked.schema, each, true]);
        expect(typeof fitsForeign(checked.schema, each)).toBe("boolean");
      }
      expect(checkForeignSchema(checked.schema)).toEqual({ schema: checked.schema, dropped: [] });
    }),
    { seed: 26, numRuns: RUNS },
  );
  expect(taken).toBeGreaterThan(RUNS / 4);
}, 60_000);

test("any JSON is taken or refused as a schema of any root", () => {
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), schema), (given) => {
      const checked = checkForeignSchema(given, "any");
      if ("schema" in checked) expect(Array.isArray(foreignErrors(checked.schema, given))).toBe(true);
      else expect(checked.reason).not.toBe("");
    }),
    { seed: 26, numRuns: RUNS },
  );
}, 60_000);

test("a checked schema takes whatever the given one takes", () => {
  fc.assert(
    fc.property(schema, fc.array(input, { minLength: 1, maxLength: 4 }), (given, inputs) => {
      const checked = checkForeignSchema({ type: "object", properties: { a: given } });
      if ("reason" in checked) return;
      const original = compiledOrNothing({ type: "object", properties: { a: given } });
      if (original === undefined || isOtherwiseUnderstood(given)) return;
      for (const each of inputs) {
        const whole = { a: each };
        if (accepts(original, whole))
          expect([given, whole, foreignErrors(checked.schema, whole)]).toEqual([given, whole, []]);
      }
    }),
    { seed: 26, numRuns: RUNS },
  );
}, 60_000);

/** The validator understands some of these otherwise than the drafts in which they are meant. */
function isOtherwiseUnderstood(given: unknown): boolean {
  return /"(?:nullable|\$id|\$anchor|\$dynamicRef|\$ref|definitions|\$defs|exclusiveMinimum|minimum)"/.test(
    JSON.stringify(given),
  );
}

function compiledOrNothing(given: object) {
  try {
    return Compile(given);
  } catch {
    return undefined;
  }
}

function accepts(check: { Check(value: unknown): boolean }, each: unknown): boolean {
  try {
    return check.Check(each);
  } catch {
    return false;
  }
}
