// Columns: letters and numbers.
import { describe, expect, test } from "bun:test";
import { columnLetters, columnNumber, columnOf } from "../../../../catalogs/sheets/cells/column";

const COLUMNS: [string, number][] = [
  ["A", 1],
  ["Z", 26],
  ["AA", 27],
  ["AH", 34],
  ["AZ", 52],
  ["BA", 53],
  ["ZZ", 702],
  ["AAA", 703],
  ["ZZZ", 18_278],
];

test.each(COLUMNS)("%s is column %d, both ways", (letters, number) => {
  expect(columnNumber(letters)).toBe(number);
  expect(columnNumber(letters.toLowerCase())).toBe(number);
  expect(columnLetters(number)).toBe(letters);
});

test("every column has unique letters, which convert back", () => {
  const letters = Array.from({ length: 18_278 }, (_, index) => columnLetters(index + 1));
  expect(new Set(letters).size).toBe(18_278);
  expect(letters.every((text, index) => /^[A-Z]{1,3}$/.test(text) && columnNumber(text) === index + 1)).toBe(
    true,
  );
});

test.each(["", "AAAA", "ZZZA", "A1", "1", "Ä", "[", " A", "A ", "-", "A\n", "ａ"])(
  "%p is not a column",
  (text) => {
    expect(columnNumber(text)).toBeUndefined();
  },
);

describe("a column by letters or number", () => {
  test.each([
    ["AB", 28],
    ["ab", 28],
    ["28", 28],
    ["1", 1],
    ["18278", 18_278],
  ])("%s is %d", (text, number) => {
    expect(columnOf(text)).toBe(number);
  });

  test.each(["0", "-1", "A2", "2A", "", "18279", "1.5", "028", "1e2", " 1", "AAAA"])(
    "%p is invalid",
    (text) => {
      expect(columnOf(text)).toBeUndefined();
    },
  );
});
