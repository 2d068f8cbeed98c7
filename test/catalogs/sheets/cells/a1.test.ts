// Ranges: names of sheets out and back.
import { expect, test } from "bun:test";
import { cellName, rangeName, splitRange } from "../../../../catalogs/sheets/cells/a1";

const cell = { firstRow: 1, lastRow: 1, firstColumn: 1, lastColumn: 1 };

test.each([
  ["Sheet1", "'Sheet1'!A1"],
  ["Q1 Report", "'Q1 Report'!A1"],
  ["A1", "'A1'!A1"],
  ["TAB12", "'TAB12'!A1"],
  ["Bob's", "'Bob''s'!A1"],
  ["'", "''''!A1"],
  ["a!b", "'a!b'!A1"],
  ["100% 😀/?#", "'100% 😀/?#'!A1"],
])("the sheet %p is always quoted", (title, range) => {
  expect(rangeName(title, cell)).toBe(range);
  expect(splitRange(range)).toEqual({ title, cells: "A1" });
});

test.each([
  ["Sheet1!A1:B2", "Sheet1", "A1:B2"],
  ["'Jon''s Data'!C7", "Jon's Data", "C7"],
  ["'Hey!You'!A1", "Hey!You", "A1"],
])("the platform's %s is taken apart", (range, title, cells) => {
  expect(splitRange(range)).toEqual({ title, cells });
});

test("a range without a sheet has none", () => {
  expect(splitRange("A1:B2")).toEqual({ title: undefined, cells: "A1:B2" });
});

test("an area has two corners", () => {
  expect(rangeName("S", { firstRow: 8, lastRow: 8, firstColumn: 1, lastColumn: 34 })).toBe("'S'!A8:AH8");
  expect(cellName(7, 3)).toBe("C7");
});
