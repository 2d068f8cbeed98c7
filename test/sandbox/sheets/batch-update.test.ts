// Changes other than values: notes and grid sizes.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { startSheetsSandbox, type SheetsSandbox } from ".";
import { callerOf, messageOf, type Call } from "./test-client";

let sandbox: SheetsSandbox;
let alice: Call;
let id: string;
beforeAll(async () => {
  sandbox = await startSheetsSandbox();
  alice = callerOf(sandbox);
});
beforeEach(() => {
  id = sandbox.addFile({ sheets: [{ title: "S", sheetId: 0, rows: 10, columns: 4, cells: { A1: "$5" } }] });
});
afterAll(() => sandbox.stop());

const batch = (...requests: object[]) => alice("POST", `/v4/spreadsheets/${id}:batchUpdate`, { requests });
const append = (dimension: string, length: number) => ({
  appendDimension: { sheetId: 0, dimension, length },
});
const note = (text: string, start: object = {}) => ({
  updateCells: { start: { sheetId: 0, ...start }, rows: [{ values: [{ note: text }] }], fields: "note" },
});

test("a note does not change value and format; an empty one is removed", async () => {
  expect((await batch(note("hi"))).body).toEqual({ spreadsheetId: id, replies: [{}] });
  expect(sandbox.cell(id, "S", "A1")).toEqual({ entered: 5, shown: "$5", pattern: "$#,##0", note: "hi" });
  await batch(note(""));
  expect(sandbox.cell(id, "S", "A1")).toMatchObject({ entered: 5, note: null });
});

test("fields in the mask that the request omits are cleared", async () => {
  const update = { start: { sheetId: 0 }, rows: [{ values: [{ note: "n" }] }], fields: "*" };
  await batch({ updateCells: update });
  expect(sandbox.cell(id, "S", "A1")).toEqual({ entered: null, shown: "", pattern: null, note: "n" });
});

test("rows and columns are added", async () => {
  await batch(append("ROWS", 5), append("COLUMNS", 2));
  expect(sandbox.sheets(id)).toEqual([{ sheetId: 0, title: "S", rowCount: 15, columnCount: 6 }]);
});

describe("refuses", () => {
  test.each<[string, object[], string]>([
    ["an empty list", [], "Must specify at least one request."],
    ["an unknown kind", [{ deleteEverything: {} }], "one known kind of request"],
    [
      "a sheet that does not exist",
      [{ appendDimension: { sheetId: 4, dimension: "ROWS", length: 1 } }],
      "No grid with id: 4",
    ],
    ["no length", [append("ROWS", 0)], "length"],
    ["no mask", [{ updateCells: { start: { sheetId: 0 }, rows: [] } }], "At least one field must be listed"],
    [
      "a mask without a field of a cell",
      [{ updateCells: { start: { sheetId: 0 }, rows: [], fields: "notes" } }],
      "Invalid field: notes",
    ],
    ["a cell to the right of the grid", [note("x", { columnIndex: 4 })], "beyond"],
    ["a cell below the grid", [note("x", { rowIndex: 10 })], "beyond"],
    ["too many cells", [append("ROWS", 2_500_000)], "above the limit of 10000000 cells"],
    ["too many columns", [append("COLUMNS", 18_275)], "above the limit"],
    [
      "requests that are too large together",
      [append("ROWS", 999_990), append("COLUMNS", 7)],
      "above the limit",
    ],
  ])("%s, and changes nothing", async (_, requests, message) => {
    const answer = await batch(note("before"), ...requests);
    const bare = requests.length === 0 ? await batch() : answer;
    expect(bare.status).toBe(400);
    expect(messageOf(bare)).toContain(message);
    if (requests.length > 0) expect(sandbox.cell(id, "S", "A1").note).toBeNull();
    expect(sandbox.sheets(id)).toEqual([{ sheetId: 0, title: "S", rowCount: 10, columnCount: 4 }]);
  });
});
