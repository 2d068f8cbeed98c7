// Validation of requests: what passes, which fields an error names, and what it never contains.
import { describe, expect, test } from "bun:test";
import { Type } from "typebox";
import { checked, compileOnce, fieldErrors, hasNul } from "../../src/base";
import { RuntimeError } from "../../src/errors";

const SCHEMA = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 10 }),
  count: Type.Optional(Type.Integer({ minimum: 0 })),
  note: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  owner: Type.Optional(Type.Object({ id: Type.String(), mail: Type.Optional(Type.String()) })),
  tags: Type.Optional(Type.Array(Type.String())),
});

function refusalOf(value: unknown): RuntimeError {
  try {
    checked(SCHEMA, value, "request body");
  } catch (error) {
    if (error instanceof RuntimeError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

function brokenFields(value: unknown): string[] {
  return (refusalOf(value).fieldErrors ?? []).map(({ field, rule }) => `${field} ${rule}`);
}

describe("a valid value", () => {
  test("is returned", () => {
    const value = { name: "a", count: 1, owner: { id: "o" }, tags: ["x"] };

    expect(checked(SCHEMA, value, "request body")).toEqual(value);
  });

  test("loses fields that are not in the schema, at every depth", () => {
    const value: unknown = { name: "a", owner: { id: "o", private: "x" }, zzz: { deep: [1, null] } };

    expect<unknown>(checked(SCHEMA, value, "request body")).toEqual({ name: "a", owner: { id: "o" } });
  });

  test("loses them also if there are more than anybody sends", () => {
    const many = Object.fromEntries(Array.from({ length: 2500 }, (_, index) => [`zzz${index}`, index]));

    expect<unknown>(checked(SCHEMA, { name: "a", ...many }, "request body")).toEqual({ name: "a" });
  });

  test("keeps those of free objects and of lists of them", () => {
    const schema = Type.Object({
      input: Type.Record(Type.String(), Type.Unknown()),
      passed: Type.Object({ known: Type.Optional(Type.String()) }, { additionalProperties: true }),
      list: Type.Array(Type.Union([Type.String(), Type.Object({ id: Type.String() })])),
    });
    const value: unknown = { input: { any: 1 }, passed: { other: 2 }, list: ["a", { id: "b", other: 3 }] };

    expect<unknown>(checked(schema, value, "request body")).toEqual({
      input: { any: 1 },
      passed: { other: 2 },
      list: ["a", { id: "b" }],
    });
  });

  test.each<[string, unknown, unknown]>([
    ["loses a null that the schema does not allow", { name: "a", count: null }, { name: "a" }],
    [
      "loses a nested null that the schema does not allow",
      { name: "a", owner: { id: "o", mail: null } },
      { name: "a", owner: { id: "o" } },
    ],
    ["keeps a null that the schema allows", { name: "a", note: null }, { name: "a", note: null }],
    ["loses an optional object that is null", { name: "a", owner: null }, { name: "a" }],
  ])("%s", (_what, value, expected) => {
    expect<unknown>(checked(SCHEMA, value, "request body")).toEqual(expected);
  });

  test("is not modified", () => {
    const value = { name: "a", count: null };
    checked(SCHEMA, value, "request body");

    expect(value).toEqual({ name: "a", count: null });
  });
});

describe("a validation error", () => {
  test.each<[string, unknown, string[]]>([
    ["a missing field", {}, ["name required"]],
    ["a null that is not a value", { name: null }, ["name required"]],
    ["a wrong type", { name: 1 }, ["name type"]],
    ["text that is too short", { name: "" }, ["name minLength"]],
    ["text that is too long", { name: "abcdefghijk" }, ["name maxLength"]],
    ["a fraction", { name: "a", count: 1.5 }, ["count type"]],
    ["a number out of range", { name: "a", count: -1 }, ["count minimum"]],
    ["a field below another", { name: "a", owner: { id: 1 } }, ["owner.id type"]],
    ["a missing field below another", { name: "a", owner: {} }, ["owner.id required"]],
    ["an item of a list", { name: "a", tags: ["x", 1] }, ["tags.1 type"]],
    ["two fields", { name: 1, count: "x" }, ["name type", "count type"]],
  ])("names field and rule for %s", (_what, value, expected) => {
    expect(brokenFields(value).toSorted()).toEqual(expected.toSorted());
  });

  test.each<[string, unknown]>([
    ["a list", []],
    ["text", "name"],
    ["null", null],
    ["nothing", undefined],
  ])("is reported for %s in place of an object", (_what, value) => {
    expect(refusalOf(value)).toMatchObject({ name: "malformed_request", status: 400 });
  });

  test("has one entry for a field that breaks several rules", () => {
    const strict = Type.Object({ id: Type.String({ minLength: 3, pattern: "^[a-z]+$" }) });

    expect(fieldErrors(strict, { id: "1" }).map(({ field }) => field)).toEqual(["id"]);
  });

  test("names the checked value and lists the fields", () => {
    expect(refusalOf({ count: 1 }).message).toBe("failed to validate request body: name is required");
  });

  test("never repeats the submitted value", () => {
    const error = refusalOf({
      name: "s3cr3t-s3cr3t-s3cr3t",
      count: "s3cr3t",
      owner: "s3cr3t",
      tags: ["a", 5],
    });

    expect(`${error.message} ${JSON.stringify(error.fieldErrors)}`).not.toContain("s3cr3t");
  });

  test("lists at most 20 fields", () => {
    const value = Array.from({ length: 50 }, () => 1);

    expect(fieldErrors(Type.Array(Type.String()), value).length).toBeWithin(5, 21);
  });

  test("names the field if no alternative matches", () => {
    const either = Type.Object({
      target: Type.Union([Type.Object({ a: Type.String() }), Type.Object({ b: Type.String() })]),
    });

    expect(fieldErrors(either, { target: 5 }).map(({ field }) => field)).toContain("target");
  });
});

test("a schema is compiled once", () => {
  expect(compileOnce(SCHEMA)).toBe(compileOnce(SCHEMA));
});

describe("NUL in text", () => {
  test.each<[string, unknown]>([
    ["alone", "a\0b"],
    ["in a list", ["a", ["\0"]]],
    ["in an object", { a: { b: "\0" } }],
    ["in a key", { "a\0": 1 }],
  ])("is found %s", (_where, value) => {
    expect(hasNul(value)).toBe(true);
  });

  test.each<[string, unknown]>([
    ["text without it", "a\\0 \u0001"],
    ["numbers and null", [0, null, true]],
    ["an empty object", {}],
  ])("is not found in %s", (_what, value) => {
    expect(hasNul(value)).toBe(false);
  });
});
