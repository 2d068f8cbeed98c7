// How many calls each tool makes: a call costs more than anything that is done here.
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { startSheetsSandbox, type SheetsSandbox } from "../../sandbox/sheets";
import { Connection } from "./run";

let sandbox: SheetsSandbox;
let id: string;
beforeAll(async () => {
  sandbox = await startSheetsSandbox();
});
beforeEach(() => {
  id = sandbox.addFile();
  sandbox.clearRequests();
});
afterAll(() => sandbox.stop());

test.each<[string, () => object, string[]]>([
  ["CreateSpreadsheet", () => ({ data: '{"1":{"A":1,"Z":2},"99":{"B":3}}' }), ["spreadsheets.create"]],
  [
    "WriteToCell",
    () => ({ spreadsheet_id: id, column: "A", row: 1, value: "x" }),
    ["spreadsheets.values.update"],
  ],
  [
    "UpdateCells",
    () => ({ spreadsheet_id: id, data: '{"1":{"A":1,"Z":2},"99":{"B":3}}' }),
    ["spreadsheets.get", "spreadsheets.values.batchUpdate"],
  ],
  [
    "AddNoteToCell",
    () => ({ spreadsheet_id: id, column: "A", row: 1, note_text: "x" }),
    ["spreadsheets.batchUpdate", "spreadsheets.get"],
  ],
  ["SearchSpreadsheets", () => ({}), ["files.list"]],
  ["WhoAmI", () => ({}), ["about.get", "userinfo"]],
  ["GetSpreadsheet", () => ({ spreadsheet_id: id }), ["spreadsheets.get", "spreadsheets.get"]],
  ["GetSpreadsheetMetadata", () => ({ spreadsheet_id: id }), ["spreadsheets.get"]],
])("%s", async (name, input, methods) => {
  await Connection.to(sandbox).run(name, { ...input() });
  expect(sandbox.requests.map(({ method }) => method).toSorted()).toEqual(methods);
  // Never a call without a mask, but for the profile, which takes none.
  for (const { method, query } of sandbox.requests) expect("fields" in query).toBe(method !== "userinfo");
});
