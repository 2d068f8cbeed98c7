// The time for a schema, and for an input, grows with its size and not faster.
import { expect, test } from "bun:test";
import { checkForeignSchema, foreignErrors } from "../../src/schemas";
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
