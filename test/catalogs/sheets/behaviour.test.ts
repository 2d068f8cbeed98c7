// What the tools say about files, sheets and formulas that the platform refuses, as its public sources describe it.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { startSheetsSandbox, type SheetsSandbox } from "../../sandbox/sheets";
import {
  OFFICE_FILE,
  OFFICE_FILE_EARLIER,
  OFFICE_TYPES,
} from "../../../catalogs/sandbox/sheets/behaviour/refusals";
import { EXTERNAL_FUNCTIONS } from "../../../catalogs/sandbox/sheets/behaviour/external-functions";
import { ALL_SCOPES, at, Connection, DRIVE, DRIVE_READONLY, tool } from "./run";

const PICKER = "GenerateGoogleFilePickerUrl";

let sandbox: SheetsSandbox;
beforeAll(async () => {
  sandbox = await startSheetsSandbox();
});
beforeEach(() => sandbox.clearRequests());
afterAll(() => sandbox.stop());

type Write = [name: string, input: object];

const WRITES: Write[] = [
  ["WriteToCell", { column: "A", row: 1, value: "x" }],
  ["UpdateCells", { data: '{"1":{"A":"x"}}' }],
  ["UpdateCells", { data: '{"2000":{"A":"x"}}' }],
  ["AddNoteToCell", { column: "A", row: 1, note_text: "x" }],
];
const READS: Write[] = [
  ["GetSpreadsheet", {}],
  ["GetSpreadsheetMetadata", {}],
];

/** Bob's file, which Alice may use as `role` and has opened with the application. */
function fileOfBob(role: "reader" | "writer", opened = true): string {
  const id = sandbox.addFile({ owner: "bob" });
  sandbox.share(id, "alice", role);
  if (opened) sandbox.open(id, "alice");
  return id;
}

describe("a user who may only view", () => {
  test.each(WRITES)("%s %j asks for edit access and not for picking", async (name, input) => {
    const spreadsheet_id = fileOfBob("reader");
    const error = await Connection.to(sandbox).failure(name, { spreadsheet_id, ...input });
    expect(error).toMatchObject({ canRetry: false, details: { statusCode: 403 } });
    expect(error.message).toStartWith(
      "The user may only view this spreadsheet; its owner must give edit access.",
    );
    expect(`${error.message} ${error.details.additionalPromptContent}`).not.toContain(PICKER);
  });

  test.each(READS)("can read with %s", async (name, input) => {
    const spreadsheet_id = fileOfBob("reader");
    expect(await Connection.to(sandbox).run(name, { spreadsheet_id, ...input })).toBeTruthy();
  });

  test.each(WRITES)("%s %j is told so with access to all files, too", async (name, input) => {
    const connection = Connection.to(sandbox, "alice", [...ALL_SCOPES, DRIVE]);
    const error = await connection.failure(name, { spreadsheet_id: fileOfBob("reader", false), ...input });
    expect(error.message).toStartWith("The user may only view this spreadsheet; its owner");
  });

  test.each(WRITES)(
    "%s %j names both reasons if the grant reads files that were not opened",
    async (name, input) => {
      const connection = Connection.to(sandbox, "alice", [...ALL_SCOPES, DRIVE_READONLY]);
      const error = await connection.failure(name, { spreadsheet_id: fileOfBob("writer", false), ...input });
      expect(error.message).toContain("may only view");
      expect(error.message).toContain(PICKER);
    },
  );

  test("a refusal is not called missing edit access if the file cannot be read either", async () => {
    const spreadsheet_id = fileOfBob("reader", false);
    const forbidden = { kind: "error", code: 403, status: "PERMISSION_DENIED", message: "no" } as const;
    sandbox.fail("spreadsheets.values.update", forbidden);
    sandbox.fail("spreadsheets.get", forbidden);
    const error = await Connection.to(sandbox).failure("WriteToCell", {
      spreadsheet_id,
      column: "A",
      row: 1,
      value: "x",
    });
    expect(error.message).not.toContain("only view");
    expect(error.message).toContain(PICKER);
    sandbox.clearFaults();
  });

  test("a file that the application may not use is picked", async () => {
    const spreadsheet_id = sandbox.addFile();
    sandbox.fail("spreadsheets.values.update", { kind: "drive_error", reason: "appNotAuthorizedToFile" });
    const input = { spreadsheet_id, column: "A", row: 1, value: "x" };
    const error = await Connection.to(sandbox).failure("WriteToCell", input);
    expect(error.message).toContain(PICKER);
    expect(sandbox.calls()).toBe(1);
  });
});

describe("an Excel file", () => {
  const OPENED: Write[] = [...WRITES.slice(0, 2), ...WRITES.slice(3), ...READS];

  test.each(OPENED)("%s %j says how to make it a spreadsheet", async (name, input) => {
    for (const mimeType of OFFICE_TYPES) {
      const spreadsheet_id = sandbox.addFile({ mimeType });
      const error = await Connection.to(sandbox).failure(name, { spreadsheet_id, ...input });
      expect(error).toMatchObject({ kind: "UPSTREAM_RUNTIME_BAD_REQUEST", canRetry: false });
      expect(error.message).toStartWith("This is an Excel file.");
      expect(error.message).toContain("File > Save as Google Sheets");
      expect(error.details.additionalPromptContent).toContain(PICKER);
    }
  });

  test.each([OFFICE_FILE, OFFICE_FILE_EARLIER])("is recognized by %j", async ({ code, status, message }) => {
    sandbox.fail("spreadsheets.get", { kind: "error", code, status, message });
    const error = await Connection.to(sandbox).failure("GetSpreadsheet", { spreadsheet_id: "1x" });
    expect(error.message).toStartWith("This is an Excel file.");
  });

  test("another kind of file is not called one", async () => {
    const spreadsheet_id = sandbox.addFile({ mimeType: "application/pdf" });
    const error = await Connection.to(sandbox).failure("GetSpreadsheet", { spreadsheet_id });
    expect(error.message).toBe("Request contains an invalid argument.");
  });

  test("that was not opened: the picker does not show it", async () => {
    const [mimeType = ""] = OFFICE_TYPES;
    const spreadsheet_id = sandbox.addFile({ mimeType, opened: false });
    const error = await Connection.to(sandbox).failure("GetSpreadsheet", { spreadsheet_id });
    expect(error.details.additionalPromptContent).toContain("An Excel file cannot be picked");
  });
});

describe("a sheet that shows a data source", () => {
  const SHEETS = [
    { title: "Sales", sheetId: 3, dataSource: true, rows: 500, columns: 12 },
    { title: "Own", sheetId: 4 },
  ];
  const CALLS: Write[] = [
    ["WriteToCell", { column: "A", row: 1, value: "x", sheet_name: "Sales" }],
    ["UpdateCells", { data: '{"1":{"A":"x"}}', sheet_id_or_name: "Sales" }],
    ["UpdateCells", { data: '{"9000":{"A":"x"}}' }],
    ["AddNoteToCell", { column: "A", row: 1, note_text: "x", sheet_id_or_name: "3" }],
    ["GetSpreadsheet", { sheet_id_or_name: "Sales" }],
    ["GetSpreadsheet", { sheet_position: 1, start_row: 400 }],
  ];

  test.each(CALLS)("%s %j is refused by name", async (name, input) => {
    const spreadsheet_id = sandbox.addFile({ sheets: SHEETS });
    const error = await Connection.to(sandbox).failure(name, { spreadsheet_id, ...input });
    expect(error).toMatchObject({ kind: "TOOL_RUNTIME_RETRY", canRetry: true });
    expect(error.message).toStartWith('The sheet "Sales" is connected to a data source');
    expect(error.message).toContain('"Own"');
  });

  test("is listed without a size, and does not count as cells of the file", async () => {
    const spreadsheet_id = sandbox.addFile({
      sheets: [{ title: "Sales", dataSource: true, rows: 9_990_000, columns: 1 }, { title: "Own" }],
    });
    const connection = Connection.to(sandbox);
    const listed = await connection.run("GetSpreadsheetMetadata", { spreadsheet_id });
    expect(at(listed, "sheets.0")).toMatchObject({ sheetType: "DATA_SOURCE", rowCount: 0, columnCount: 0 });
    const data = '{"2000":{"A":1}}';
    const written = await connection.run("UpdateCells", { spreadsheet_id, data, sheet_id_or_name: "Own" });
    expect(at(written, "updatedCells")).toBe(1);
  });
});

describe("formulas that load from outside", () => {
  test.each(EXTERNAL_FUNCTIONS)("%s shows an error until a user allows it in the file", async (name) => {
    const connection = Connection.to(sandbox);
    const value = `=${name}("https://example.com/x")`;
    const input = { data: JSON.stringify({ 1: { A: value } }) };
    const blocked = await connection.run("UpdateCells", { spreadsheet_id: sandbox.addFile(), ...input });
    expect(at(blocked, "displayedValues.0.0.0")).toBe("#REF!");
    // Nothing was switched on.
    expect(sandbox.requests.map(({ method }) => method)).toEqual([
      "spreadsheets.get",
      "spreadsheets.values.batchUpdate",
    ]);
    const allowed = sandbox.addFile({ externalAccess: true });
    const shown = await connection.run("UpdateCells", { spreadsheet_id: allowed, ...input });
    expect(at(shown, "displayedValues.0.0.0")).not.toBe("#REF!");
  });

  test.each(["CreateSpreadsheet", "UpdateCells", "WriteToCell"])("the description of %s says so", (name) => {
    const { description } = tool(name);
    for (const external of EXTERNAL_FUNCTIONS) expect(description).toContain(external);
    expect(description).toContain("#REF!");
    expect(description).toContain("`;`");
  });
});

test.each([
  ["GetSpreadsheet", /smart chips .* are read as text/i],
  ["UpdateCells", /loses its smart chips/],
  ["WhoAmI", /organization's where it is pooled/],
  ["SearchSpreadsheets", /createdTime may time out/],
])("the definition of %s says what the platform's reference says", (name, told) => {
  const { description, input, output } = tool(name);
  const definition = JSON.stringify([description, input, output]);
  expect(definition).toMatch(told);
  // The search of an organization needs no administrator.
  expect(definition).not.toContain("administrators");
});

test("the tools ask for compressed answers as the platform's guide says", async () => {
  const spreadsheet_id = sandbox.addFile();
  await Connection.to(sandbox).run("GetSpreadsheetMetadata", { spreadsheet_id });
  expect(sandbox.requests[0]?.headers).toMatchObject({
    "accept-encoding": "gzip",
    "user-agent": expect.stringContaining("gzip"),
  });
});
