// Any JSON as a schema, and any JSON as an input.
// oxlint-disable unicorn/no-thenable -- `then` is a keyword of JSON Schema
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

type Members = Readonly<Record<string, fc.Arbitrary<unknown>>>;

/** An object with up to five of these members: larger ones would hide what one of them does. */
function someOf(members: Members): fc.Arbitrary<unknown> {
  const member = fc.oneof(...Object.entries(members).map(([key, each]) => fc.tuple(fc.constant(key), each)));
  return fc.array(member, { maxLength: 5 }).map((entries) => Object.fromEntries(entries));
}

const types = fc.constantFrom("object", "string", "integer", "number", "array", "null", "boolean", "int");
const patterns = fc.constantFrom("^a", "^a+$", "(a+)+", "(", "b$");

/** Mostly schemas, with mistakes. */
const { schema } = fc.letrec<{ schema: unknown; map: unknown; list: unknown }>((tie) => ({
  map: fc.oneof({ weight: 9, arbitrary: fc.dictionary(name, tie("schema"), { maxKeys: 3 }) }, plain),
  list: fc.oneof({ weight: 9, arbitrary: fc.array(tie("schema"), { maxLength: 3 }) }, plain),
  schema: fc.oneof({ maxDepth: 3 }, fc.boolean(), plain, {
    weight: 8,
    arbitrary: someOf({
      type: fc.oneof(types, fc.array(types, { maxLength: 3 }), plain),
      properties: tie("map"),
      patternProperties: fc.dictionary(patterns, tie("schema"), { maxKeys: 2 }),
      additionalProperties: tie("schema"),
      propertyNames: tie("schema"),
      required: fc.oneof(fc.array(name, { maxLength: 3 }), plain),
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
      dependencies: fc.oneof(
        tie("map"),
        fc.dictionary(name, fc.array(name, { maxLength: 2 }), { maxKeys: 2 }),
      ),
      dependentRequired: fc.dictionary(name, fc.array(name, { maxLength: 2 }), { maxKeys: 2 }),
      unevaluatedProperties: tie("schema"),
      enum: fc.oneof(fc.array(value, { maxLength: 3 }), plain),
      const: value,
      nullable: value,
      minimum: value,
      exclusiveMinimum: value,
      multipleOf: value,
      minLength: value,
      pattern: fc.oneof(patterns, plain),
      format: value,
      $ref: reference,
      $dynamicRef: reference,
      $id: reference,
      $anchor: name,
      $defs: tie("map"),
      definitions: tie("map"),
      default: value,
      title: value,
      examples: value,
      $schema: fc.constantFrom("http://json-schema.org/draft-07/schema#", 5),
    }),
  }),
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
        // The prepared check takes all that the plain one takes: it does not look at formats. The plain one confuses what a
        // part evaluates with what the whole does.
        if (compiled.Check(each) && !JSON.stringify(checked.schema).includes("unevaluated"))
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
  return /"(?:dependencies|unevaluatedProperties|nullable|\$id|\$anchor|\$dynamicRef|\$ref|definitions|\$defs|exclusiveMinimum|minimum)"/.test(
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
