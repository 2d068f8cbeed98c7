// Sheets.WriteToCell against the stand-in of the platform.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { startSheetsSandbox, type SheetsSandbox } from "../../../sandbox/sheets";
import { TYPED } from "../expected-cells";
import { at, Connection } from "../run";

const TITLES = [
  "Sheet1",
  "Q1 Report",
  "A1",
  "TAB12",
  "Bob's",
  "a!b",
  "TEste Nome",
  "Calculation Log",
  "Hey!You",
  "100%/?# 😀",
];

let sandbox: SheetsSandbox;
let id: string;
beforeAll(async () => {
  sandbox = await startSheetsSandbox();
  id = sandbox.addFile({
    sheets: [
      { title: "Hidden", hidden: true },
      ...TITLES.map((title) => ({ title, rows: 981, columns: 24 })),
      { title: "Chart", chart: true },
    ],
  });
});
afterAll(() => sandbox.stop());
afterEach(() => sandbox.clearRequests());

const input = (more: object = {}) => ({ spreadsheet_id: id, column: "C", row: 7, value: "x", ...more });
const write = (more: object = {}) => Connection.to(sandbox).run("WriteToCell", input(more));
const failure = (more: object = {}) => Connection.to(sandbox).failure("WriteToCell", input(more));

test("returns the displayed value and what the platform made of the given one", async () => {
  expect(await write({ value: "$1,234.5" })).toEqual({
    spreadsheetId: id,
    sheetTitle: "Sheet1",
    updatedCell: "C7",
    value: "$1,234.50",
    userEnteredValue: 1234.5,
  });
  expect(sandbox.requests.map(({ method }) => method)).toEqual([
    "spreadsheets.values.update",
    "spreadsheets.get",
  ]);
});

test.each([
  ["0050", "50", 50],
  ["50", "50", 50],
  ["'50", "50", "50"],
  ["TRUE", "TRUE", true],
  ["=1+1", "2", "=1+1"],
  ["'=1+1", "=1+1", "'=1+1"],
  ["Total", "Total", "Total"],
  ["", "", ""],
])("%j shows %j and is %j", async (value, shown, entered) => {
  expect(await write({ value, column: "D" })).toMatchObject({ value: shown, userEnteredValue: entered });
});

test("a write whose cell cannot be read afterwards has succeeded", async () => {
  sandbox.fail("spreadsheets.get", { kind: "error", code: 404, message: "Gone.", status: "NOT_FOUND" });
  const output = await write({ value: "7", column: "D" });
  expect(output).toMatchObject({ value: "7" });
  expect(output).not.toHaveProperty("userEnteredValue");
});

test("one call writes plain text", async () => {
  await write({ value: "Total" });
  expect(sandbox.requests).toMatchObject([
    {
      method: "spreadsheets.values.update",
      path: `/v4/spreadsheets/${id}/values/%27Sheet1%27%21C7`,
      query: {
        valueInputOption: "USER_ENTERED",
        includeValuesInResponse: "true",
        fields: "spreadsheetId,updatedRange,updatedCells,updatedData(range,values)",
      },
      body: { range: "'Sheet1'!C7", majorDimension: "ROWS", values: [["Total"]] },
    },
  ]);
});

describe("values are read as if they were typed", () => {
  const rows = TYPED.flatMap(({ value, cell }) =>
    typeof value === "string" ? [[value, cell] as const] : [],
  );
  test.each(rows)("%p", async (value, expected) => {
    const fresh = sandbox.addFile();
    const output = await write({ spreadsheet_id: fresh, value });
    expect(at(output, "value")).toBe(expected?.shown ?? "");
    const { entered } = sandbox.cell(fresh, "Sheet1", "C7");
    expect(entered).toBe(expected?.entered ?? null);
  });

  test("an empty value clears the cell", async () => {
    await write({ row: 8, value: "full" });
    expect(at(await write({ row: 8, value: "" }), "value")).toBe("");
    expect(sandbox.cell(id, "Sheet1", "C8").entered).toBeNull();
  });
});

describe("in a file of another locale", () => {
  test.each([
    ["de_DE", "1.5"],
    ["de_DE", "0.25"],
    ["fr_FR", "-12.75"],
    ["tr_TR", "3.14"],
    ["en_US", "1.5"],
  ])("of %s, the decimal %s is the same number", async (locale, value) => {
    const fresh = sandbox.addFile({ locale });
    await write({ spreadsheet_id: fresh, value });
    expect(sandbox.cell(fresh, "Sheet1", "C7").entered).toBe(Number(value));
  });

  test.each([
    ["de_DE", "1,5", 1.5],
    ["fr_FR", "=SUM(1;2)", "=SUM(1;2)"],
    ["de_DE", "+1+2", "=+1+2"],
    ["tr_TR", "'1.5", "1.5"],
  ])("of %s, %s is read as a person types it there", async (locale, value, entered) => {
    const fresh = sandbox.addFile({ locale });
    await write({ spreadsheet_id: fresh, value });
    expect(sandbox.cell(fresh, "Sheet1", "C7").entered).toBe(entered);
  });
});

describe("the sheet", () => {
  test.each(TITLES)("%s is meant whole", async (sheet_name) => {
    const output = await write({ sheet_name, column: "a", row: 1, value: sheet_name });
    expect(output).toMatchObject({ sheetTitle: sheet_name, updatedCell: "A1" });
    expect(sandbox.cell(id, sheet_name, "A1").entered).toBe(sheet_name);
  });

  test.each([undefined, null, "", " "])("%p is Sheet1", async (sheet_name) => {
    expect(at(await write({ sheet_name }), "sheetTitle")).toBe("Sheet1");
  });

  test("a title from another result is found again", async () => {
    const first = await write({ sheet_name: "Bob's" });
    const second = await write({ sheet_name: at(first, "sheetTitle") });
    expect(at(second, "sheetTitle")).toBe("Bob's");
  });

  test("an unknown one is refused with a list of the sheets", async () => {
    const error = await failure({ sheet_name: "Nope" });
    expect(error).toMatchObject({ kind: "TOOL_RUNTIME_RETRY", canRetry: true });
    expect(error.message).toContain('There is no sheet with the name "Nope"');
    for (const title of TITLES)
      expect(error.details.additionalPromptContent).toContain(JSON.stringify(title));
    expect(sandbox.requests.map(({ method }) => method)).toEqual([
      "spreadsheets.values.update",
      "spreadsheets.get",
    ]);
  });

  test("with another case is refused with a list of the sheets", async () => {
    const error = await failure({ sheet_name: "q1 report" });
    expect(error).toMatchObject({ kind: "TOOL_RUNTIME_RETRY", canRetry: true });
    expect(error.message).toContain('There is no sheet with the name "q1 report"');
    expect(error.details.additionalPromptContent).toContain('"Q1 Report"');
  });

  test("is found by its name, never by its id", async () => {
    const zero = sandbox.addFile({ sheets: [{ title: "Sheet1", sheetId: 0 }] });
    const error = await failure({ spreadsheet_id: zero, sheet_name: "0" });
    expect(error.message).toContain('There is no sheet with the name "0"');
  });

  test("a chart has no cells", async () => {
    const error = await failure({ sheet_name: "Chart" });
    expect(error).toMatchObject({ kind: "TOOL_RUNTIME_RETRY", canRetry: true });
    expect(error.message).toContain("has no cells");
    expect(error.details.additionalPromptContent).toContain('"Q1 Report"');
  });
});

describe("the cell", () => {
  test("a column has one to three letters, in any case", async () => {
    const wide = sandbox.addFile({ sheets: [{ title: "Sheet1", rows: 2, columns: 18_278 }] });
    for (const column of ["Z", "AA", "az", "ZZ", "aaa", "ZZZ"]) {
      const output = await write({ spreadsheet_id: wide, column, row: 1, value: column });
      expect(at(output, "updatedCell")).toBe(`${column.toUpperCase()}1`);
    }
  });

  test.each(["Y", "AA"])(
    "outside the grid in column %s, the error has the size of the sheet",
    async (column) => {
      const error = await failure({ column, row: 1 });
      expect(error).toMatchObject({ kind: "TOOL_RUNTIME_RETRY", canRetry: true });
      expect(error.message).toStartWith(
        `${column}1 is outside the sheet "Sheet1", which has 981 rows and 24 columns: \`column\` must be from A to X.`,
      );
      expect(error.details.additionalPromptContent).toContain('"Q1 Report"');
      expect(sandbox.sheets(id)[1]).toMatchObject({ rowCount: 981, columnCount: 24 });
    },
  );

  test("outside it in a row, too", async () => {
    expect((await failure({ row: 982 })).message).toContain("981 rows and 24 columns");
  });

  test.each<[string, object]>([
    ["a column with a digit", { column: "A1" }],
    ["four letters", { column: "AAAA" }],
    ["an umlaut", { column: "Ä" }],
    ["no column", { column: "" }],
    ["row 0", { row: 0 }],
    ["a negative row", { row: -1 }],
    ["half a row", { row: 1.5 }],
    ["a row as words", { row: "seven" }],
    ["half a row as text", { row: "7.5" }],
    ["no row", { row: null }],
    ["no value", { value: null }],
    ["a number for the value", { value: 5 }],
    ["50,001 characters", { value: "x".repeat(50_001) }],
    ["no id", { spreadsheet_id: null }],
    ["an id that cannot be one", { spreadsheet_id: "a/b" }],
    ["a parameter of another tool", { sheet_position: 1 }],
  ])("%s is refused before any call", async (_, more) => {
    expect((await failure(more)).kind).toBe("TOOL_RUNTIME_BAD_INPUT_VALUE");
    expect(sandbox.calls()).toBe(0);
  });

  test("a row may be text, and 50,000 characters fit", async () => {
    const output = await write({ row: "9", value: "x".repeat(50_000) });
    expect(at(output, "updatedCell")).toBe("C9");
  });
});

test("an unknown id is answered with the spreadsheets that can be opened, and the nearest id", async () => {
  const error = await failure({ spreadsheet_id: "1unknown" });
  expect(error.kind).toBe("UPSTREAM_RUNTIME_NOT_FOUND");
  expect(error.message).not.toContain("nearest");
  expect(error.details.additionalPromptContent).toContain(`"id":"${id}"`);
  expect(sandbox.requests.map(({ method }) => method)).toEqual(["spreadsheets.values.update", "files.list"]);

  const mistyped = id.slice(0, 20) + id.slice(21);
  expect((await failure({ spreadsheet_id: mistyped })).message).toContain(`(nearest: ${id})`);
});

test("an unknown id stays the error if the spreadsheets cannot be listed", async () => {
  sandbox.fail("files.list", { kind: "server_error" }, 4);
  const error = await failure({ spreadsheet_id: "1unknown" });
  expect(error.kind).toBe("UPSTREAM_RUNTIME_NOT_FOUND");
  expect(error.message).toContain("`spreadsheet_id`");
});

test("a failure of the explanation is not hidden by it", async () => {
  sandbox.fail("spreadsheets.get", { kind: "server_error" }, 4);
  expect((await failure({ sheet_name: "Nope" })).kind).toBe("UPSTREAM_RUNTIME_SERVER_ERROR");
});
