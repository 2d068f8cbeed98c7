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
  ["https://docs.google.com/a/corp.example/spreadsheets/d/1AbC-_9/edit#gid=0", "1AbC-_9"],
  ["https://docs.google.com/a/corp.example/spreadsheets/u/0/d/1AbC-_9/edit", "1AbC-_9"],
  ["https://docs.google.com/spreadsheets/d/1AbC-_9/htmlview", "1AbC-_9"],
  ["https://docs.google.com/spreadsheets/d/1AbC-_9/pubhtml", "1AbC-_9"],
  ["http://docs.google.com/spreadsheets/d/1AbC-_9/edit", "1AbC-_9"],
  ["https://DOCS.google.com/spreadsheets/d/1AbC-_9/edit", "1AbC-_9"],
  ["https://drive.google.com/file/d/1AbC-_9/view?usp=sharing", "1AbC-_9"],
  ["https://drive.google.com/a/corp.example/file/d/1AbC-_9/view", "1AbC-_9"],
  ["https://drive.google.com/open?id=1AbC-_9&usp=drive_fs", "1AbC-_9"],
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
  "https://docs.google.com.evil.example/spreadsheets/d/1AbC/edit",
  "https://docs.google.com@evil.example/spreadsheets/d/1AbC/edit",
  "https://drive.google.com/open",
  "https://drive.google.com/drive/folders/1AbC",
])("refuses %p", (text) => {
  expect(() => spreadsheetIdOf(text)).toThrow("`spreadsheet_id` must be");
});

test.each([
  "https://docs.google.com/spreadsheets/d/e/2PACX-1vAbC_d/pubhtml",
  "https://docs.google.com/spreadsheets/d/e/2PACX-1vAbC_d/pub?output=csv",
  "https://docs.google.com/a/corp.example/spreadsheets/d/e/2PACX-1vAbC_d/pubhtml",
  "https://docs.google.com/spreadsheets/u/1/d/e/2PACX-1vAbC_d/pubhtml",
  "2PACX-1vAbC_d",
])("refuses the address of a published copy by name: %s", (text) => {
  expect(() => spreadsheetIdOf(text)).toThrow("is the address of a published copy");
});
