// Sheets.UpdateCells against the stand-in of the platform.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { startSheetsSandbox, type SheetsSandbox } from "../../../sandbox/sheets";
import { readCell, GIVEN } from "../expected-cells";
import { at, Connection } from "../run";

let sandbox: SheetsSandbox;
let id: string;
beforeAll(async () => {
  sandbox = await startSheetsSandbox();
});
beforeEach(() => {
  sandbox.clearFaults();
  sandbox.clearRequests();
  id = sandbox.addFile({
    sheets: [
      { title: "Jon's Data", sheetId: 4, rows: 10, columns: 5, cells: { A1: "old", B2: "kept" } },
      { title: "Second", sheetId: 0, rows: 3, columns: 3 },
    ],
  });
});
afterAll(() => sandbox.stop());

type Data = Record<string, Record<string, unknown>>;
const input = (data: Data | string, more: object = {}) => ({
  spreadsheet_id: id,
  data: typeof data === "string" ? data : JSON.stringify(data),
  ...more,
});
const update = (data: Data, more: object = {}) =>
  Connection.to(sandbox).run("UpdateCells", input(data, more));
const failure = (data: Data | string, more: object = {}) =>
  Connection.to(sandbox).failure("UpdateCells", input(data, more));
const methods = (): string[] => sandbox.requests.map(({ method }) => method);
const GET = "spreadsheets.get";
const GROW = "spreadsheets.batchUpdate";
const WRITE = "spreadsheets.values.batchUpdate";

test("two calls write the cells and return what was written", async () => {
  expect(await update({ 1: { A: "new", B: 5 }, 2: { A: true, B: "x" }, 4: { E: "far" } })).toEqual({
    spreadsheetId: id,
    sheetId: 4,
    sheetTitle: "Jon's Data",
    sheetUrl: `https://docs.google.com/spreadsheets/d/${id}/edit#gid=4`,
    updatedRanges: ["'Jon''s Data'!A1:B2", "'Jon''s Data'!E4"],
    updatedRows: 3,
    updatedColumns: 3,
    updatedCells: 5,
    displayedValues: [
      [
        ["new", "5"],
        ["TRUE", "x"],
      ],
      [["far"]],
    ],
  });
  expect(methods()).toEqual([GET, WRITE]);
  expect(sandbox.requests[0]?.query).toEqual({
    fields:
      "spreadsheetId,spreadsheetUrl,properties(title),sheets(properties(sheetId,title,index,sheetType,hidden,gridProperties(rowCount,columnCount)))",
  });
  expect(sandbox.requests[1]).toMatchObject({
    query: {
      fields:
        "spreadsheetId,totalUpdatedRows,totalUpdatedColumns,totalUpdatedCells,responses(updatedRange,updatedData(values))",
    },
    body: {
      valueInputOption: "USER_ENTERED",
      includeValuesInResponse: true,
      data: [
        {
          range: "'Jon''s Data'!A1:B2",
          majorDimension: "ROWS",
          values: [
            ["'new", 5],
            [true, "'x"],
          ],
        },
        { range: "'Jon''s Data'!E4", majorDimension: "ROWS", values: [["'far"]] },
      ],
    },
  });
});

test("every value becomes the same as with CreateSpreadsheet", async () => {
  const data = Object.fromEntries(GIVEN.map(({ value }, index) => [index + 1, { B: value }]));
  const fresh = sandbox.addFile();
  await update(data, { spreadsheet_id: fresh });
  const read = await Connection.to(sandbox).run("GetSpreadsheet", { spreadsheet_id: fresh });
  const expected = GIVEN.flatMap(({ cell }, index) =>
    cell === null ? [] : [[String(index + 1), { B: readCell(cell) }]],
  );
  expect(at(read, "sheets.0.data")).toEqual(Object.fromEntries(expected));
});

test("empty text clears a cell, and other cells stay", async () => {
  await update({ 1: { A: "", C: "c" }, 2: { A: "a", C: "c" } });
  expect(sandbox.cell(id, "Jon's Data", "A1").entered).toBeNull();
  expect(sandbox.cell(id, "Jon's Data", "B2").entered).toBe("kept");
});

test("ten scattered cells are one write", async () => {
  const rows = Array.from({ length: 10 }, (_, index) => [
    index + 1,
    { [index % 2 === 0 ? "A" : "D"]: index },
  ]);
  const output = await update(Object.fromEntries(rows));
  expect(methods()).toEqual([GET, WRITE]);
  expect(at(output, "updatedCells")).toBe(10);
});

describe("the sheet", () => {
  test.each<[string, object, number]>([
    ["the first by default", {}, 4],
    ["by position", { sheet_position: 2 }, 0],
    ["by position as text", { sheet_position: "2" }, 0],
    ["by title", { sheet_id_or_name: "Second" }, 0],
    ["by title without case", { sheet_id_or_name: "SECOND" }, 0],
    ["by id", { sheet_id_or_name: "4" }, 4],
    ["by the id 0, which is not leftmost", { sheet_id_or_name: "0" }, 0],
    ["by name rather than position", { sheet_id_or_name: "Second", sheet_position: 1 }, 0],
    ["by position when the name is empty", { sheet_id_or_name: "", sheet_position: 2 }, 0],
  ])("is found %s", async (_, choice, sheetId) => {
    expect(at(await update({ 1: { A: "x" } }, choice), "sheetId")).toBe(sheetId);
  });

  test("a title of digits takes precedence over the id of another sheet", async () => {
    const digits = sandbox.addFile({
      sheets: [
        { title: "One", sheetId: 7 },
        { title: "7", sheetId: 8 },
      ],
    });
    const output = await update({ 1: { A: "x" } }, { spreadsheet_id: digits, sheet_id_or_name: "7" });
    expect(output).toMatchObject({ sheetId: 8, sheetTitle: "7" });
  });

  test("an exact title takes precedence over one in another case", async () => {
    const cases = sandbox.addFile({
      sheets: [
        { title: "ÄB", sheetId: 1 },
        { title: "x", sheetId: 2 },
      ],
    });
    const output = await update({ 1: { A: "x" } }, { spreadsheet_id: cases, sheet_id_or_name: "äb" });
    expect(at(output, "sheetId")).toBe(1);
  });

  test.each<[string, object]>([
    ["past the end", { sheet_position: 3 }],
    ["an unknown name", { sheet_id_or_name: "Third" }],
    ["an unknown id", { sheet_id_or_name: "12" }],
  ])("%s is refused with a list of the sheets", async (_, choice) => {
    const error = await failure({ 1: { A: "x" } }, choice);
    expect(error).toMatchObject({ kind: "TOOL_RUNTIME_RETRY", canRetry: true });
    expect(error.details.additionalPromptContent).toContain(`1: "Jon's Data" (id 4); 2: "Second" (id 0)`);
    expect(methods()).toEqual([GET]);
  });

  test.each([0, -1, 1.5])("position %p is refused before any call", async (sheet_position) => {
    expect((await failure({ 1: { A: "x" } }, { sheet_position })).kind).toBe("TOOL_RUNTIME_BAD_INPUT_VALUE");
    expect(sandbox.calls()).toBe(0);
  });

  test("a chart has no cells", async () => {
    const charts = sandbox.addFile({ sheets: [{ title: "Chart", chart: true }] });
    const error = await failure({ 1: { A: "x" } }, { spreadsheet_id: charts });
    expect(error.message).toContain("has no cells");
    expect(methods()).toEqual([GET]);
  });
});

describe("growth", () => {
  test.each<[string, Data, [number, number]]>([
    ["rows", { 12: { A: "x" } }, [12, 5]],
    ["columns", { 1: { AA: "x" } }, [10, 27]],
    ["both", { 12: { A: "x" }, 1: { F: "y" } }, [12, 6]],
  ])(
    "adds %s, exactly what is missing, in one call before the write",
    async (_, data, [rowCount, columnCount]) => {
      await update(data);
      expect(methods()).toEqual([GET, GROW, WRITE]);
      expect(sandbox.sheets(id)[0]).toMatchObject({ rowCount, columnCount });
    },
  );

  test("does not happen for the last cell of the grid", async () => {
    await update({ 10: { E: "x" } });
    expect(methods()).toEqual([GET, WRITE]);
  });

  test("an empty batch is never sent", async () => {
    await update({ 1: { A: "x" } });
    expect(sandbox.calls(GROW)).toBe(0);
  });

  test("a row is written outside the grid of a sheet that is not the first", async () => {
    await update({ 4: { D: "x" } }, { sheet_position: 2 });
    expect(sandbox.cell(id, "Second", "D4").entered).toBe("x");
    expect(sandbox.sheets(id)[0]).toMatchObject({ rowCount: 10, columnCount: 5 });
  });

  test("past the spreadsheet's limit of cells is refused before any write", async () => {
    const error = await failure({ 3_000_000: { A: "x" } });
    expect(error).toMatchObject({ kind: "TOOL_RUNTIME_BAD_INPUT_VALUE", canRetry: false });
    expect(error.message).toContain("15000009 cells; the platform allows 10000000");
    expect(methods()).toEqual([GET]);
  });

  test("the cells of the other sheets count too", async () => {
    const full = sandbox.addFile({
      sheets: [
        { title: "One", rows: 10, columns: 5 },
        { title: "Two", rows: 999_990, columns: 10 },
      ],
    });
    const error = await failure({ 21: { A: "x" } }, { spreadsheet_id: full });
    expect(error.message).toContain("10000005 cells");
    await update({ 20: { A: "x" } }, { spreadsheet_id: full });
  });

  test("that may have succeeded is not repeated", async () => {
    sandbox.fail(GROW, { kind: "late_server_error" });
    const error = await failure({ 12: { A: "x" } });
    expect(error).toMatchObject({ canRetry: false, details: { extra: { outcome: "unknown" } } });
    expect(methods()).toEqual([GET, GROW]);
    expect(sandbox.sheets(id)[0]).toMatchObject({ rowCount: 12 });
    // Another run sees the grid as it is.
    await update({ 12: { A: "x" } });
    expect(sandbox.sheets(id)[0]).toMatchObject({ rowCount: 12 });
  });

  test("by two runs at the same time happens once", async () => {
    const connection = Connection.to(sandbox);
    const run = (value: string) => connection.run("UpdateCells", input({ 15: { A: value } }));
    await Promise.all([run("one"), run("two"), run("three")]);
    expect(sandbox.calls(GROW)).toBe(1);
    expect(sandbox.sheets(id)[0]).toMatchObject({ rowCount: 15 });
  });

  test("is not started when the user has no writes left for the rest", async () => {
    const connection = Connection.to(sandbox);
    const call = (row: number) =>
      connection.run("WriteToCell", {
        spreadsheet_id: id,
        sheet_name: "Second",
        column: "A",
        row,
        value: "x",
      });
    for (let turn = 0; turn < 59; turn++) await call(1);
    const error = await connection.failure("UpdateCells", input({ 12: { A: "x" } }));
    expect(error.kind).toBe("UPSTREAM_RUNTIME_RATE_LIMIT");
    expect(sandbox.calls(GROW)).toBe(0);
    await connection.run("UpdateCells", input({ 2: { A: "x" } }));
  });
});

test.each<[string, string]>([
  ["no cells", "{}"],
  ["rows without cells", '{"1":{}}'],
  ["no JSON", "nonsense"],
  ["row 0", '{"0":{"A":1}}'],
  ["too long a text", JSON.stringify({ 1: { A: "x".repeat(50_001) } })],
])("%s is refused before any call, and may be retried", async (_, data) => {
  expect(await failure(data)).toMatchObject({ kind: "TOOL_RUNTIME_RETRY", canRetry: true });
  expect(sandbox.calls()).toBe(0);
});

test("no data at all is refused", async () => {
  const error = await Connection.to(sandbox).failure("UpdateCells", { spreadsheet_id: id });
  expect(error).toMatchObject({
    kind: "TOOL_RUNTIME_BAD_INPUT_VALUE",
    message: expect.stringContaining("data"),
  });
});

test("a write that succeeds after a 503 has one result", async () => {
  sandbox.fail(WRITE, { kind: "late_server_error" });
  expect(at(await update({ 1: { A: "x" } }), "updatedCells")).toBe(1);
  expect(methods()).toEqual([GET, WRITE, WRITE]);
});
