// Values of ranges: parsed as typed, or raw; a call writes all or nothing.
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
  const sheets = [
    { title: "Sheet1", sheetId: 0, rows: 10, columns: 4 },
    { title: "Jon's", sheetId: 5, rows: 2, columns: 2 },
  ];
  id = sandbox.addFile({ sheets });
});
afterAll(() => sandbox.stop());

const valuesOf = (range: string, query = ""): string =>
  `/v4/spreadsheets/${id}/values/${encodeURIComponent(range)}${query}`;
const TYPED = "?valueInputOption=USER_ENTERED";
const write = (range: string, values: unknown, query = TYPED) =>
  alice("PUT", valuesOf(range, query), { values });

describe("one range", () => {
  test("is read as typed, and shown afterwards", async () => {
    const answer = await write("'Jon''s'!A1:B1", [["$5", true]], `${TYPED}&includeValuesInResponse=true`);
    expect(answer.body).toEqual({
      spreadsheetId: id,
      updatedRange: "'Jon''s'!A1:B1",
      updatedRows: 1,
      updatedColumns: 2,
      updatedCells: 2,
      updatedData: { range: "'Jon''s'!A1:B1", majorDimension: "ROWS", values: [["$5", "TRUE"]] },
    });
    expect(sandbox.cell(id, "Jon's", "A1")).toMatchObject({ entered: 5, pattern: "$#,##0" });
  });

  test("RAW keeps text as it is", async () => {
    await write("A1:C1", [["10%", "=1", 5]], "?valueInputOption=RAW");
    expect(sandbox.cell(id, "Sheet1", "A1")).toMatchObject({ entered: "10%", shown: "10%" });
    expect(sandbox.cell(id, "Sheet1", "B1")).toMatchObject({ entered: "=1", shown: "=1" });
    expect(sandbox.cell(id, "Sheet1", "C1")).toMatchObject({ entered: 5 });
  });

  test("null keeps a cell, empty text clears it, and the answer omits empty cells", async () => {
    await write("A1:B1", [["a", "b"]]);
    const answer = await write("A1:B1", [[null, ""]], `${TYPED}&includeValuesInResponse=true`);
    expect(answer.body).toMatchObject({ updatedCells: 1, updatedData: { values: [["a"]] } });
    const emptied = await write("A1", [[""]], `${TYPED}&includeValuesInResponse=true`);
    expect(emptied.body["updatedData"]).toEqual({ range: "Sheet1!A1", majorDimension: "ROWS" });
  });

  test("a format of a value is kept for the next one", async () => {
    await write("A1", [["$5"]]);
    await write("A1", [[7]]);
    expect(sandbox.cell(id, "Sheet1", "A1")).toMatchObject({ entered: 7, shown: "$7" });
  });

  test.each<[string, string, unknown, string, string]>([
    ["no option", "A1", [["x"]], "", "'valueInputOption' is required"],
    ["more values than the range has columns", "A1", [["x", "y"]], TYPED, "tried writing to column [B]"],
    ["more values than the range has rows", "A1", [["x"], ["y"]], TYPED, "tried writing to row [2]"],
    ["a cell outside the grid", "E1", [["x"]], TYPED, "exceeds grid limits. Max rows: 10, max columns: 4"],
    ["a range that extends outside", "D1:E1", [["x"]], TYPED, "exceeds grid limits"],
    ["an object for a value", "A1", [[{}]], TYPED, "struct_value"],
    ["50,001 characters", "A1", [["x".repeat(50_001)]], TYPED, "more than the maximum of 50000 characters"],
    ["no list", "A1", "x", TYPED, "Invalid value at"],
  ])("refuses %s", async (_, range, values, query, message) => {
    const answer = await write(range, values, query);
    expect(answer.status).toBe(400);
    expect(messageOf(answer)).toContain(message);
    expect(sandbox.cell(id, "Sheet1", "A1").entered).toBeNull();
  });

  test("refuses a body that names another range", async () => {
    const answer = await alice("PUT", valuesOf("A1", TYPED), { range: "A2", values: [["x"]] });
    expect(answer.status).toBe(400);
  });

  test("reads back shown values, plain ones, or formulas", async () => {
    await write("A1:C1", [["$5", "=A1*2", "x"]]);
    const read = async (query: string) => (await alice("GET", valuesOf("A1:D9", query))).body;
    expect(await read("")).toEqual({
      range: "Sheet1!A1:D9",
      majorDimension: "ROWS",
      values: [["$5", "10", "x"]],
    });
    expect(await read("?valueRenderOption=UNFORMATTED_VALUE")).toMatchObject({ values: [[5, 10, "x"]] });
    expect(await read("?valueRenderOption=FORMULA")).toMatchObject({ values: [[5, "=A1*2", "x"]] });
  });
});

describe("many ranges", () => {
  const batch = (body: object) => alice("POST", `/v4/spreadsheets/${id}/values:batchUpdate`, body);

  test("are written in one call, and counted by written rows, columns and cells", async () => {
    const { body } = await batch({
      valueInputOption: "USER_ENTERED",
      data: [
        {
          range: "Sheet1!A1:B2",
          majorDimension: "ROWS",
          values: [
            ["1", "2"],
            ["3", null],
          ],
        },
        { range: "'Jon''s'!A1", values: [["x"]] },
      ],
    });
    expect(body).toMatchObject({
      totalUpdatedRows: 3,
      totalUpdatedColumns: 3,
      totalUpdatedCells: 4,
      totalUpdatedSheets: 2,
      responses: [{ updatedRange: "Sheet1!A1:B2", updatedCells: 3 }, { updatedRange: "'Jon''s'!A1" }],
    });
  });

  test("an invalid one prevents the whole write", async () => {
    const data = [
      { range: "Sheet1!A1", values: [["x"]] },
      { range: "Sheet1!A11", values: [["y"]] },
    ];
    expect((await batch({ valueInputOption: "USER_ENTERED", data })).status).toBe(400);
    expect(sandbox.cell(id, "Sheet1", "A1").entered).toBeNull();
  });

  test("the option is read from the body", async () => {
    const path = `/v4/spreadsheets/${id}/values:batchUpdate?valueInputOption=RAW`;
    expect((await alice("POST", path, { data: [] })).status).toBe(400);
  });

  test("are read in one call", async () => {
    await write("A1", [["x"]]);
    const path = `/v4/spreadsheets/${id}/values:batchGet?ranges=A1&ranges=B1`;
    expect((await alice("GET", path)).body).toEqual({
      spreadsheetId: id,
      valueRanges: [
        { range: "Sheet1!A1", majorDimension: "ROWS", values: [["x"]] },
        { range: "Sheet1!B1", majorDimension: "ROWS" },
      ],
    });
  });
});
