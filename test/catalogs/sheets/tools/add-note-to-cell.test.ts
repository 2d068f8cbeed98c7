// Sheets.AddNoteToCell against the stand-in of the platform.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { startSheetsSandbox, type SheetsSandbox } from "../../../sandbox/sheets";
import { at, Connection } from "../run";

let sandbox: SheetsSandbox;
let id: string;
beforeAll(async () => {
  sandbox = await startSheetsSandbox();
});
beforeEach(() => {
  sandbox.clearRequests();
  id = sandbox.addFile({
    sheets: [
      { title: "One", sheetId: 7, rows: 20, columns: 26, cells: { C7: "$5" } },
      { title: "7", sheetId: 0, rows: 5, columns: 702 },
      { title: "Chart", chart: true },
    ],
  });
});
afterAll(() => sandbox.stop());

const input = (more: object = {}) => ({
  spreadsheet_id: id,
  column: "c",
  row: 7,
  note_text: "look",
  ...more,
});
const add = (more: object = {}) => Connection.to(sandbox).run("AddNoteToCell", input(more));
const failure = (more: object = {}) => Connection.to(sandbox).failure("AddNoteToCell", input(more));

test("two calls add it without changing value and format", async () => {
  expect(await add()).toEqual({
    status: "success",
    spreadsheetId: id,
    sheetId: 7,
    sheetTitle: "One",
    sheetUrl: `https://docs.google.com/spreadsheets/d/${id}/edit#gid=7`,
    cell: "C7",
  });
  expect(sandbox.cell(id, "One", "C7")).toEqual({ entered: 5, shown: "$5", pattern: "$#,##0", note: "look" });
  expect(sandbox.requests.map(({ method }) => method)).toEqual([
    "spreadsheets.get",
    "spreadsheets.batchUpdate",
  ]);
  expect(sandbox.requests[1]).toMatchObject({
    query: { fields: "spreadsheetId" },
    body: {
      requests: [
        {
          updateCells: {
            start: { sheetId: 7, rowIndex: 6, columnIndex: 2 },
            rows: [{ values: [{ note: "look" }] }],
            fields: "note",
          },
        },
      ],
    },
  });
});

test("GetSpreadsheet reads it, also from an empty cell", async () => {
  await add();
  await add({ row: 8, note_text: "empty here" });
  const read = await Connection.to(sandbox).run("GetSpreadsheet", { spreadsheet_id: id });
  expect(at(read, "sheets.0.data")).toEqual({
    7: { C: { userEnteredValue: 5, formattedValue: "$5", note: "look" } },
    8: { C: { userEnteredValue: "", formattedValue: "", note: "empty here" } },
  });
});

test("a note is replaced, and empty text removes it", async () => {
  await add();
  await add({ note_text: "new" });
  expect(sandbox.cell(id, "One", "C7").note).toBe("new");
  await add({ note_text: "" });
  expect(sandbox.cell(id, "One", "C7")).toMatchObject({ note: null, entered: 5 });
});

test.each<[string, object, string, string]>([
  ["a column of two letters", { sheet_position: 2, column: "AH", row: 5 }, "7", "AH5"],
  ["the last column of two", { sheet_position: 2, column: "ZZ", row: 1 }, "7", "ZZ1"],
  ["a title of digits rather than an id", { sheet_id_or_name: "7", row: 1 }, "7", "C1"],
  ["the id 0", { sheet_id_or_name: "0", row: 1 }, "7", "C1"],
  ["the last cell of the grid", { column: "Z", row: 20 }, "One", "Z20"],
])("%s is found", async (_, more, sheet, cell) => {
  expect(await add(more)).toMatchObject({ sheetTitle: sheet, cell });
  expect(sandbox.cell(id, sheet, cell).note).toBe("look");
});

describe("refused", () => {
  test.each<[string, object]>([
    ["the column after the last", { column: "AA" }],
    ["the row after the last", { row: 21 }],
  ])("%s, with the sheet's size", async (_, more) => {
    const error = await failure(more);
    expect(error).toMatchObject({ kind: "TOOL_RUNTIME_RETRY", canRetry: true });
    expect(error.details.additionalPromptContent).toContain("Sheets.UpdateCells, which enlarges");
    expect(error.message).toContain('outside the sheet "One", which has 20 rows and 26 columns');
    expect(sandbox.calls("spreadsheets.batchUpdate")).toBe(0);
  });

  test("a chart, and a missing sheet", async () => {
    expect((await failure({ sheet_position: 3 })).message).toContain("has no cells");
    const { details } = await failure({ sheet_position: 4 });
    expect(details.additionalPromptContent).toContain('1: "One" (id 7)');
  });

  test.each<[string, object]>([
    ["a column that is none", { column: "ZZZA" }],
    ["row 0", { row: 0 }],
    ["no text", { note_text: null }],
    ["position 0", { sheet_position: 0 }],
    ["a bad id", { spreadsheet_id: "x y" }],
  ])("%s, before any call", async (_, more) => {
    expect((await failure(more)).kind).toBe("TOOL_RUNTIME_BAD_INPUT_VALUE");
    expect(sandbox.calls()).toBe(0);
  });
});

test("it may be repeated: a 503 is retried", async () => {
  sandbox.fail("spreadsheets.batchUpdate", { kind: "late_server_error" });
  expect(at(await add(), "status")).toBe("success");
  expect(sandbox.calls("spreadsheets.batchUpdate")).toBe(2);
});
