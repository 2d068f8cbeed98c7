// Sheets.GetSpreadsheet against the stand-in of the platform.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { startSheetsSandbox, type SheetsSandbox } from "../../../sandbox/sheets";
import { at, basesOf, Connection } from "../run";
import { book, Stub } from "../stub";

let sandbox: SheetsSandbox;
let id: string;
beforeAll(async () => {
  sandbox = await startSheetsSandbox();
  id = sandbox.addFile({
    title: "Book",
    sheets: [
      {
        title: "Hidden first",
        sheetId: 3,
        hidden: true,
        rows: 60,
        columns: 30,
        cells: { A1: "h", AB50: "corner", C52: "c" },
      },
      { title: "Wide", sheetId: 0, rows: 5, columns: 60, cells: { A1: "a", BH1: "last", BH5: "end" } },
      {
        title: "Jon's Data",
        sheetId: 8,
        rows: 1500,
        columns: 4,
        cells: { A1000: "in", A1001: "out", D1500: "end" },
      },
      { title: "Chart", sheetId: 9, chart: true },
    ],
  });
});
beforeEach(() => sandbox.clearRequests());
afterAll(() => sandbox.stop());

const get = (more: object = {}) =>
  Connection.to(sandbox).run("GetSpreadsheet", { spreadsheet_id: id, ...more });
const failure = (more: object = {}) =>
  Connection.to(sandbox).failure("GetSpreadsheet", { spreadsheet_id: id, ...more });
const text = (value: string) => ({ userEnteredValue: value, formattedValue: value });
const dataOf = (output: unknown): unknown => at(output, "sheets.0.data");

test("two calls read one sheet: the metadata, then the cells with a field mask", async () => {
  expect(await get({ sheet_position: 2 })).toEqual({
    title: "Book",
    spreadsheetId: id,
    spreadsheetUrl: `https://docs.google.com/spreadsheets/d/${id}/edit`,
    sheets: [
      {
        sheetId: 0,
        title: "Wide",
        rowCount: 5,
        columnCount: 60,
        data: { 1: { A: text("a"), BH: text("last") }, 5: { BH: text("end") } },
      },
    ],
  });
  expect(
    sandbox.requests.map(({ method, query }) => [method, query["ranges"], query["includeGridData"]]),
  ).toEqual([
    ["spreadsheets.get", undefined, undefined],
    ["spreadsheets.get", "'Wide'!A1:BH5", undefined],
  ]);
  expect(sandbox.requests[1]?.query["fields"]).toBe(
    "sheets(properties(sheetId),data(startRow,startColumn,rowData(values(userEnteredValue,formattedValue,note))))",
  );
});

describe("the window", () => {
  const rangeOf = async (more: object): Promise<unknown> => {
    await get(more);
    return sandbox.requests[1]?.query["ranges"];
  };

  test.each<[string, object, string]>([
    ["is cut to the grid", {}, "'Hidden first'!A1:AD60"],
    ["has at most 1000 rows", { sheet_position: 3 }, "'Jon''s Data'!A1:D1000"],
    ["goes on from a row", { sheet_position: 3, start_row: 1001 }, "'Jon''s Data'!A1001:D1500"],
    ["begins at a column", { start_col: "AB", start_row: 50 }, "'Hidden first'!AB50:AD60"],
    ["begins at a column by its number", { start_col: "28" }, "'Hidden first'!AB1:AD60"],
    ["is as small as asked for", { max_rows: 1, max_cols: 1 }, "'Hidden first'!A1"],
    ["of all that may be asked for", { sheet_position: 2, max_cols: 100, max_rows: 1000 }, "'Wide'!A1:BH5"],
    ["ends with the last column that was asked for", { sheet_position: 2, max_cols: 34 }, "'Wide'!A1:AH5"],
    [
      "of one row of 34 columns",
      { sheet_position: 1, start_row: 8, max_rows: 1, max_cols: 29 },
      "'Hidden first'!A8:AC8",
    ],
  ])("%s", async (_, more, range) => {
    expect(await rangeOf(more)).toBe(range);
  });

  test("has the sheet's own row numbers and column letters", async () => {
    const output = await get({ start_row: 50, start_col: "C" });
    expect(dataOf(output)).toEqual({ 50: { AB: text("corner") }, 52: { C: text("c") } });
  });

  test("contains only the requested cells", async () => {
    const output = await get({ sheet_position: 3, max_rows: 1000 });
    expect(dataOf(output)).toEqual({ 1000: { A: text("in") } });
  });

  test.each<[string, object]>([
    ["below the grid", { start_row: 61 }],
    ["next to the grid", { start_col: "AE" }],
    ["next to it by number", { start_col: "18278" }],
  ])("%s is empty, without a second call", async (_, more) => {
    const output = await get(more);
    expect(dataOf(output)).toEqual({});
    expect(at(output, "sheets.0.rowCount")).toBe(60);
    expect(sandbox.calls()).toBe(1);
  });

  test("of a chart is empty, without a second call", async () => {
    const output = await get({ sheet_id_or_name: "chart" });
    expect(at(output, "sheets.0")).toEqual({
      sheetId: 9,
      title: "Chart",
      rowCount: 0,
      columnCount: 0,
      data: {},
    });
    expect(sandbox.calls()).toBe(1);
  });

  test("of an empty sheet is empty", async () => {
    const fresh = sandbox.addFile();
    expect(dataOf(await get({ spreadsheet_id: fresh }))).toEqual({});
  });
});

describe("the sheet", () => {
  test.each<[string, object, string]>([
    ["the first, though it is hidden", { sheet_position: 1 }, "Hidden first"],
    ["by position among all", { sheet_position: 3 }, "Jon's Data"],
    ["by title", { sheet_id_or_name: "Jon's Data" }, "Jon's Data"],
    ["by title without case", { sheet_id_or_name: "wide" }, "Wide"],
    ["by the id 0", { sheet_id_or_name: "0" }, "Wide"],
    ["by name rather than by position", { sheet_id_or_name: "wide", sheet_position: 9 }, "Wide"],
  ])("is found: %s", async (_, more, title) => {
    expect(at(await get(more), "sheets.0.title")).toBe(title);
  });

  test("that does not exist is refused with a list of the sheets", async () => {
    const error = await failure({ sheet_id_or_name: "Nope" });
    expect(error).toMatchObject({ kind: "TOOL_RUNTIME_RETRY", canRetry: true });
    expect(error.details.additionalPromptContent).toContain(`3: "Jon's Data" (id 8); 4: "Chart" (id 9)`);
  });
});

test("cells have the entered and the displayed value", async () => {
  const cells = {
    A1: "=1+2",
    B1: "=1/0",
    C1: "2024-01-15",
    D1: "12:30",
    E1: true,
    F1: 0,
    G1: false,
    H1: "=SEQUENCE(2)",
    I1: "10%",
    J1: '=""',
  };
  const kinds = sandbox.addFile({ sheets: [{ title: "S", cells }] });
  expect(dataOf(await get({ spreadsheet_id: kinds }))).toEqual({
    1: {
      A: { userEnteredValue: "=1+2", formattedValue: "3" },
      B: { userEnteredValue: "=1/0", formattedValue: "#DIV/0!" },
      C: { userEnteredValue: 45306, formattedValue: "2024-01-15" },
      D: { userEnteredValue: 12.5 / 24, formattedValue: "12:30" },
      E: { userEnteredValue: true, formattedValue: "TRUE" },
      F: { userEnteredValue: 0, formattedValue: "0" },
      G: { userEnteredValue: false, formattedValue: "FALSE" },
      H: { userEnteredValue: "=SEQUENCE(2)", formattedValue: "1" },
      I: { userEnteredValue: 0.1, formattedValue: "10%" },
      J: { userEnteredValue: '=""', formattedValue: "" },
    },
    // Filled by the formula above it.
    2: { H: { userEnteredValue: "", formattedValue: "2" } },
  });
});

describe("refused before any call", () => {
  test.each<[string, object]>([
    ["max_rows 0", { max_rows: 0 }],
    ["max_rows 1001", { max_rows: 1001 }],
    ["max_cols 0", { max_cols: 0 }],
    ["max_cols 101", { max_cols: 101 }],
    ["start_row 0", { start_row: 0 }],
    ["sheet_position 0", { sheet_position: 0 }],
    ["start_col 0", { start_col: "0" }],
    ["start_col A2", { start_col: "A2" }],
    ["an empty start_col", { start_col: "" }],
    ["a negative start_col", { start_col: "-1" }],
    ["start_col past the last", { start_col: "18279" }],
    ["start_col of four letters", { start_col: "AAAA" }],
    ["a bad id", { spreadsheet_id: "?" }],
  ])("%s", async (_, more) => {
    expect((await failure(more)).kind).toBe("TOOL_RUNTIME_BAD_INPUT_VALUE");
    expect(sandbox.calls()).toBe(0);
  });
});

describe("answers that the stand-in does not send", () => {
  const cellsOf = (...values: object[]) => ({
    sheets: [{ properties: { sheetId: 5 }, data: [{ startRow: 4, startColumn: 1, rowData: [{ values }] }] }],
  });
  const sheet = (rowCount: number, columnCount: number) => ({
    properties: { sheetId: 5, title: "S", gridProperties: { rowCount, columnCount } },
  });
  const read = (stub: Stub) =>
    new Connection(basesOf(stub.url)).run("GetSpreadsheet", { spreadsheet_id: "book" });

  test("cells keep their positions next to empty ones, and a double stays a number", async () => {
    await using stub = new Stub()
      .on("ranges=", cellsOf({}, { userEnteredValue: { numberValue: 2 ** 64 } }, { formattedValue: "" }))
      .on("book", book(sheet(9, 9)));
    expect(dataOf(await read(stub))).toEqual({
      5: { C: { userEnteredValue: 2 ** 64, formattedValue: "" } },
    });
  });

  test("an answer without cells has none", async () => {
    await using stub = new Stub().on("ranges=", {}).on("book", book(sheet(9, 9)));
    expect(dataOf(await read(stub))).toEqual({});
  });

  const long = { userEnteredValue: { stringValue: "x".repeat(50_000) }, formattedValue: "x".repeat(50_000) };
  test.each<[string, object, number]>([
    ["an answer larger than may be read", long, 10],
    ["an answer that comes to more only as a result", { formattedValue: "x" }, 500],
  ])("more than 10 MB is refused with a hint: %s", async (_, cell, side) => {
    const values = Array.from({ length: side }, () => cell);
    const rowData = Array.from({ length: side }, () => ({ values }));
    await using stub = new Stub()
      .on("ranges=", { sheets: [{ properties: { sheetId: 5 }, data: [{ rowData }] }] })
      .on("book", book(sheet(10, 10)));
    const connection = new Connection(basesOf(stub.url));
    const error = await connection.failure("GetSpreadsheet", { spreadsheet_id: "book" });
    expect(error).toMatchObject({ kind: "TOOL_RUNTIME_BAD_INPUT_VALUE", canRetry: false });
    expect(error.message).toContain("more than 10 MB");
    expect(error.message).toContain("`max_rows`");
  });

  test("a spreadsheet without an address gets the default one, and sheets are in tab order", async () => {
    const tab = (index: number) => ({ properties: { sheetId: index, title: `T${index}`, index } });
    await using stub = new Stub().on("book", book(tab(1), { properties: { title: "T0" } }));
    const output = await new Connection(basesOf(stub.url)).run("GetSpreadsheetMetadata", {
      spreadsheet_id: "book",
    });
    expect(at(output, "spreadsheetUrl")).toBe("https://docs.google.com/spreadsheets/d/book/edit");
    expect(at(output, "sheets.0")).toMatchObject({ title: "T0", sheetId: 0, position: 1, sheetType: "GRID" });
    expect(at(output, "sheets.1")).toMatchObject({ title: "T1", position: 2 });
  });
});
