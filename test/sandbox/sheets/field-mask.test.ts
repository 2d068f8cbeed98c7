// Field masks: selected parts of an answer, and invalid masks.
import { describe, expect, test } from "bun:test";
import { MaskError, masked, parseMask, wants } from "../../../catalogs/sandbox/sheets/field-mask";
import { withoutEmpty } from "../../../catalogs/sandbox/sheets/proto";

const SHAPE = {
  id: true,
  sheets: { properties: { title: true, index: true }, data: { row: true } },
} as const;
const VALUE = {
  id: "1",
  sheets: [
    { properties: { title: "one", index: 0 }, data: [{ row: 1 }] },
    { properties: { title: "two", index: 1 } },
  ],
};

test.each([
  ["id", { id: "1" }],
  [
    "sheets(properties(title))",
    { sheets: [{ properties: { title: "one" } }, { properties: { title: "two" } }] },
  ],
  [
    "sheets.properties.title",
    { sheets: [{ properties: { title: "one" } }, { properties: { title: "two" } }] },
  ],
  [
    "sheets/properties/index,id",
    { id: "1", sheets: [{ properties: { index: 0 } }, { properties: { index: 1 } }] },
  ],
  [
    "sheets(properties.title,data)",
    { sheets: [{ properties: { title: "one" }, data: [{ row: 1 }] }, { properties: { title: "two" } }] },
  ],
  [
    "sheets.data,sheets.properties(index)",
    { sheets: [{ properties: { index: 0 }, data: [{ row: 1 }] }, { properties: { index: 1 } }] },
  ],
  ["*", VALUE],
  ["sheets(*)", { sheets: VALUE.sheets }],
] as const)("%s", (text, expected) => {
  expect<unknown>(masked(VALUE, parseMask(text, SHAPE))).toEqual(expected);
});

test.each([
  ["an unknown name", "ids", "ids"],
  ["one inside another", "sheets(properties(name))", "sheets.properties.name"],
  ["one below a plain field", "id.x", "id.x"],
])("%s is refused with its path", (_, text, path) => {
  expect(() => parseMask(text, SHAPE)).toThrow(new MaskError(path));
});

test.each(["", "id,", "sheets(", "sheets(data", "id)", "sheets()", "id id", "(id)"])(
  "%p is not a mask",
  (text) => {
    expect(() => parseMask(text, SHAPE)).toThrow(MaskError);
  },
);

test("a mask shows whether a path is selected", () => {
  const mask = parseMask("sheets(properties)", SHAPE);
  expect(wants(mask, "sheets", "properties", "title")).toBe(true);
  expect(wants(mask, "sheets", "data")).toBe(false);
  expect(wants("all", "sheets", "data")).toBe(true);
});

describe("empty fields", () => {
  test("zero, false and empty are omitted, items of lists keep their positions", () => {
    const given = {
      a: 0,
      b: false,
      c: "",
      d: [],
      e: {},
      f: [{ x: 0 }, { x: 1 }],
      g: { h: { i: "" } },
      j: "x",
    };
    expect(withoutEmpty(given)).toEqual({ f: [{}, { x: 1 }], j: "x" });
  });

  test("a cell with zero or false is not empty", () => {
    const given = {
      values: [{ userEnteredValue: { numberValue: 0 } }, { userEnteredValue: { boolValue: false } }, {}],
    };
    expect(withoutEmpty(given)).toEqual(given);
  });

  test("values of a range are not fields", () => {
    expect(withoutEmpty({ values: [["", "a"], []] })).toEqual({ values: [["", "a"], []] });
  });
});
