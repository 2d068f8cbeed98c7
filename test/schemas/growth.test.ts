// The time for a schema, and for an input, grows with its size and not faster.
import { expect, test } from "bun:test";
import { checkForeignSchema, fitsForeign, foreignErrors } from "../../src/schemas";
import { Applicable } from "../../src/schemas/applicable";
import { withLongIntegers } from "../../src/schemas/digits";
import { Steps } from "../../src/schemas/steps";
import { growthOf } from "../support/growth";

/** Characters; the other size is four times as large. */
const SIZE = 25_000;
const MOST = 10;

/** The smallest of three: another process may take the processor from one of two measurements. */
function growthOn(prepare: (size: number) => () => unknown): number {
  return Math.min(...Array.from({ length: 3 }, () => growthOf(SIZE, prepare)));
}

function many<T>(size: number, each: number, make: (index: number) => T): T[] {
  return Array.from({ length: Math.ceil(size / each) }, (_, index) => make(index));
}

function named(size: number, each: number, make: (index: number) => unknown): object {
  return Object.fromEntries(many(size, each, (index) => [`name${index}`, make(index)]));
}

const SCHEMAS: Readonly<Record<string, (size: number) => object>> = {
  "many properties": (size) => ({
    type: "object",
    properties: named(size, 120, () => ({ type: "string", description: "x".repeat(60) })),
  }),
  "many references to one definition": (size) => ({
    type: "object",
    $defs: { A: { type: "string" } },
    properties: named(size, 60, () => ({ $ref: "#/$defs/A", description: "a" })),
  }),
  "many definitions": (size) => ({
    type: "object",
    $defs: named(size, 120, (index) => ({
      anyOf: [{ type: "string" }, { $ref: `#/$defs/name${index + 1}` }],
    })),
    properties: { a: { type: "array", items: { $ref: "#/$defs/name0" } } },
  }),
  "much to leave out": (size) => ({
    type: "object",
    properties: named(size, 300, () => ({
      description: "x".repeat(200),
      type: "int",
      pattern: "(a+)+",
      not: { pattern: "(" },
    })),
  }),
  "many patterns": (size) => ({
    type: "object",
    properties: named(size, 90, () => ({ type: "string", pattern: "^[a-z]{1,9}-\\d+(\\.\\d+)?$" })),
  }),
};

test.each(Object.entries(SCHEMAS))("a schema with %s", (_what, make) => {
  expect(
    growthOn((size) => {
      const schema = make(size);
      return () => checkForeignSchema(schema);
    }),
  ).toBeLessThan(MOST);
});

const { schema } = {
  schema: undefined as unknown,
  ...checkForeignSchema({
    type: "object",
    $defs: {
      N: {
        type: "object",
        properties: {
          x: { anyOf: [{ $ref: "#/$defs/N" }, { type: "null" }] },
          list: { type: "array", items: { $ref: "#/$defs/N" } },
        },
        additionalProperties: false,
      },
    },
    properties: {
      a: { type: "array", items: { $ref: "#/$defs/N" } },
      text: { type: "string", pattern: "a+b" },
      ids: { type: "array", items: { type: "integer" } },
    },
  }),
};

const INPUTS: Readonly<Record<string, (size: number) => object>> = {
  "many entries": (size) => ({ a: many(size, 25, () => ({ list: [{ x: null }] })) }),
  "many wrong entries": (size) => ({ a: many(size, 25, () => ({ list: [{ x: 1 }] })) }),
  "a long text": (size) => ({ text: "a".repeat(size) }),
  "many long integers": (size) => ({ ids: many(size, 22, () => "12345678901234567890") }),
};

test.each(Object.entries(INPUTS))("an input with %s", (_what, make) => {
  if (typeof schema !== "object" || schema === null) throw new Error("It is taken.");
  const checked = schema;
  foreignErrors(checked, {});
  expect(
    growthOn((size) => {
      const input = make(size);
      return () => foreignErrors(checked, input);
    }),
  ).toBeLessThan(MOST);
});

function taken(given: object): object {
  const checked = checkForeignSchema({ type: "object", properties: { list: given } });
  if ("reason" in checked) throw new Error(checked.reason);
  return checked.schema;
}

/** Lists inside of each other, of 600 zeros each, at the bottom of which are 19 digits. */
function nestedLists(levels: number): unknown[] {
  let value: unknown[] = ["1234567890123456789"];
  for (let level = 0; level < levels; level++) value = [...Array.from({ length: 600 }, () => 0), value];
  return value;
}

test("a result with a long integer below many lists", () => {
  const lists = taken({});
  const growth = growthOf(40, (levels) => {
    const value = { list: nestedLists(levels) };
    return () => fitsForeign(lists, value);
  });

  expect(growth).toBeLessThan(MOST);
});

test("the types of an entry are found once, whatever the number of entries and of alternatives", () => {
  const alternatives = Array.from({ length: 500 }, (_, minimum) => ({ type: "integer", minimum }));
  const integers = taken({ type: "array", items: { anyOf: alternatives } });
  const value = { list: Array.from({ length: 40_000 }, () => "1234567890123456789") };

  // Each alternative once, not once for each entry.
  const walk = () => withLongIntegers(new Applicable({ ...integers }, new Steps(2000)), value);

  expect(JSON.stringify(walk())).toStartWith('{"list":[1234567890123456789,1234567890123456789');
});

test("a walk through schemas that are too many for its steps ends", () => {
  const node = { anyOf: Array.from({ length: 500 }, () => ({ properties: { x: { $ref: "#" }, y: {} } })) };
  const value = { x: { x: { y: "1234567890123456789" } } };

  expect(() => withLongIntegers(new Applicable(node, new Steps(1000)), value)).toThrow("too many steps");
});
