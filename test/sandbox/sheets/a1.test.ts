// A1 notation as the stand-in reads and writes it.
import { describe, expect, test } from "bun:test";
import { type A1Range, formatA1, letters, parseA1 } from "../../../catalogs/sandbox/sheets/a1";

const range = (
  title: string | undefined,
  [startRow, endRow, startColumn, endColumn]: [number, number, number, number],
): A1Range => ({ title, startRow, endRow, startColumn, endColumn });

describe("reading", () => {
  test.each<[string, A1Range]>([
    ["A1", range(undefined, [0, 1, 0, 1])],
    ["Sheet1!A1:B2", range("Sheet1", [0, 2, 0, 2])],
    ["'Sheet1'!C7", range("Sheet1", [6, 7, 2, 3])],
    ["'Jon''s Data'!A1", range("Jon's Data", [0, 1, 0, 1])],
    ["'Hey!You'!B2", range("Hey!You", [1, 2, 1, 2])],
    ["Sheet1!A:C", range("Sheet1", [0, Infinity, 0, 3])],
    ["Sheet1!2:5", range("Sheet1", [1, 5, 0, Infinity])],
    ["Sheet1", range("Sheet1", [0, Infinity, 0, Infinity])],
    ["'A1'", range("A1", [0, Infinity, 0, Infinity])],
    ["ZZZ1", range(undefined, [0, 1, 18_277, 18_278])],
  ])("%s", (text, expected) => {
    expect(parseA1(text)).toEqual(expected);
  });

  test.each([
    "",
    "'Sheet1'!",
    "Sheet 1!A1",
    "Jon's!A1",
    "'Jon's'!A1",
    "Sheet1!AAAA1",
    "Sheet1!A0",
    "Sheet1!A1:B2:C3",
    "Sheet1!1A",
    "Sheet1%20!A1",
  ])("refuses %p", (text) => {
    expect(() => parseA1(text)).toThrow(`Unable to parse range: ${text}`);
  });
});

describe("writing", () => {
  test.each([
    ["Sheet1", [0, 2, 0, 2], "Sheet1!A1:B2"],
    ["Sheet1", [6, 7, 2, 3], "Sheet1!C7"],
    ["My Sheet", [0, 1, 0, 1], "'My Sheet'!A1"],
    ["Jon's Data", [0, 1, 0, 1], "'Jon''s Data'!A1"],
    ["TAB12", [0, 1, 0, 1], "'TAB12'!A1"],
    ["2026", [0, 1, 0, 1], "'2026'!A1"],
  ] satisfies [string, [number, number, number, number], string][])("%s", (title, places, expected) => {
    expect(formatA1(title, range(undefined, places))).toBe(expected);
  });

  test.each([
    [1, "A"],
    [26, "Z"],
    [27, "AA"],
    [52, "AZ"],
    [702, "ZZ"],
    [703, "AAA"],
    [18_278, "ZZZ"],
  ])("column %d is %s", (number, expected) => {
    expect(letters(number)).toBe(expected);
  });
});
