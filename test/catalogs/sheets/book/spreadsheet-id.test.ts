// The parameter `spreadsheet_id`.
import { expect, test } from "bun:test";
import { spreadsheetIdOf } from "../../../../catalogs/sheets/book/spreadsheet-id";

test.each([
  ["1AbC-_9", "1AbC-_9"],
  ["  1AbC \n", "1AbC"],
  ["https://docs.google.com/spreadsheets/d/1AbC-_9/edit", "1AbC-_9"],
  ["https://docs.google.com/spreadsheets/d/1AbC-_9/edit#gid=0", "1AbC-_9"],
  ["https://docs.google.com/spreadsheets/d/1AbC-_9/edit?usp=drivesdk", "1AbC-_9"],
  ["https://docs.google.com/spreadsheets/d/1AbC-_9", "1AbC-_9"],
  ["https://docs.google.com/spreadsheets/u/1/d/1AbC-_9/edit", "1AbC-_9"],
])("%s", (text, id) => {
  expect(spreadsheetIdOf(text)).toBe(id);
});

test.each([
  "",
  "  ",
  "a b",
  "a/b",
  "a:batchUpdate",
  "../x",
  "a?b",
  "ä",
  "https://docs.google.com/document/d/1AbC/edit",
  "https://evil.example/spreadsheets/d/1AbC/edit",
  "https://docs.google.com/spreadsheets/d/a%2Fb/edit",
])("refuses %p", (text) => {
  expect(() => spreadsheetIdOf(text)).toThrow("`spreadsheet_id` must be");
});
