// The generator of the matrix, on a schema made up for it.
import { describe, expect, test } from "bun:test";
import { least, placesOf, withoutField, withValue, wrongValues } from "./schema";

const ENTRY = {
  type: "object",
  required: ["url"],
  properties: { url: { type: "string", minLength: 1 }, phase: { type: "string", enum: ["before", "after"] } },
};
const BODY = {
  type: "object",
  required: ["name", "count"],
  properties: {
    name: { type: "string" },
    count: { type: "integer", minimum: 3 },
    note: { anyOf: [{ type: "string" }, { type: "null" }] },
    free: {},
    entries: { type: "array", items: ENTRY },
    headers: { type: "object", additionalProperties: { type: "string" } },
  },
};

test("every field is a place, in lists and maps too", () => {
  expect(placesOf(BODY).map(({ path, required }) => [path.join("."), required])).toEqual([
    ["name", true],
    ["count", true],
    ["note", false],
    ["free", false],
    ["entries", false],
    ["entries.0", false],
    ["entries.0.url", true],
    ["entries.0.phase", false],
    ["headers", false],
    ["headers.key", false],
  ]);
});

test("the least that fits has what is required", () => {
  expect(least(BODY)).toEqual({ name: "a", count: 3 });
});

describe("wrong values", () => {
  test.each([
    ["of a text", { type: "string" }, [17, true]],
    ["of a text that may be null", BODY.properties.note, [17, true]],
    ["of one of several texts", ENTRY.properties.phase, [17, true, "no such value"]],
    ["of a number", { type: "number" }, ["no such value", true]],
    ["of a list", { type: "array" }, [17, "no such value"]],
    ["of what may be anything", {}, []],
  ])("%s", (_what, schema, values) => {
    expect(wrongValues(schema)).toEqual(values as unknown[]);
  });
});

test("a value is put where the way does not exist yet", () => {
  const body = withValue({ name: "x" }, BODY, ["entries", 0, "phase"], "after");

  expect(body).toEqual({ name: "x", entries: [{ url: "a", phase: "after" }] });
  expect(withoutField(body, BODY, ["entries", 0, "url"])).toEqual({
    name: "x",
    entries: [{ phase: "after" }],
  });
});
