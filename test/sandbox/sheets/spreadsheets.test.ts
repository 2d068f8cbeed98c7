// The spreadsheet interface of the stand-in: answers and refusals.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startSheetsSandbox, type SheetsSandbox } from ".";
import { callerOf, DRIVE_READONLY, messageOf, type Call } from "./test-client";

let sandbox: SheetsSandbox;
let alice: Call;
beforeAll(async () => {
  sandbox = await startSheetsSandbox();
  alice = callerOf(sandbox);
});
afterAll(() => sandbox.stop());

const SPREADSHEETS = "/v4/spreadsheets";
const addressOf = (id: string, query = ""): string => `${SPREADSHEETS}/${id}${query}`;
const encoded = encodeURIComponent;

describe("creating", () => {
  test("with an empty body it creates one sheet, named in the person's language", async () => {
    const made = await callerOf(sandbox, "bob")("POST", SPREADSHEETS, {});
    expect(made.body).toMatchObject({
      properties: { title: "Untitled spreadsheet" },
      sheets: [{ properties: { title: "Feuille 1", gridProperties: { rowCount: 1000, columnCount: 26 } } }],
    });
  });

  test("given sheets get new ids and their typed cells", async () => {
    const values = [
      { userEnteredValue: { numberValue: 0 } },
      {},
      { userEnteredValue: { formulaValue: "=1+1" } },
    ];
    const made = await alice("POST", `${SPREADSHEETS}?fields=spreadsheetId,sheets.properties`, {
      properties: { title: "T" },
      sheets: [
        { properties: { title: "S" }, data: [{ startRow: 1, startColumn: 2, rowData: [{ values }] }] },
      ],
    });
    const id = String(made.body["spreadsheetId"]);
    expect(sandbox.sheets(id)).toMatchObject([{ title: "S", sheetId: expect.any(Number) }]);
    expect(sandbox.sheets(id)[0]?.sheetId).toBeGreaterThan(1000);
    expect(sandbox.cell(id, "S", "C2")).toMatchObject({ entered: 0, shown: "0" });
    expect(sandbox.cell(id, "S", "D2")).toMatchObject({ entered: null, shown: "" });
    expect(sandbox.cell(id, "S", "E2")).toMatchObject({ entered: "=1+1", shown: "2" });
  });

  test.each<[string, object, string]>([
    ["an unknown name", { title: "T" }, 'Unknown name "title"'],
    [
      "one inside a cell",
      { sheets: [{ data: [{ rowData: [{ values: [{ value: 1 }] }] }] }] },
      "sheets[0].data[0].rowData[0].values[0]",
    ],
    [
      "two values in a cell",
      cells({ userEnteredValue: { numberValue: 1, stringValue: "x" } }),
      "oneof field is already set",
    ],
    ["a number as text", cells({ userEnteredValue: { numberValue: "1" } }), "not a value of this kind"],
    ["a formula without its sign", cells({ userEnteredValue: { formulaValue: "A1" } }), "Invalid"],
    [
      "50,001 characters",
      cells({ userEnteredValue: { stringValue: "x".repeat(50_001) } }),
      "more than the maximum of 50000 characters",
    ],
    [
      "a format without a type",
      cells({ userEnteredFormat: { numberFormat: { pattern: "0" } } }),
      "number_format.type",
    ],
    ["cells outside the grid", grid({ rowCount: 1, columnCount: 1 }, { startRow: 1 }), "outside the grid"],
    [
      "too many cells",
      grid({ rowCount: 1_000_000, columnCount: 11 }, {}),
      "above the limit of 10000000 cells",
    ],
  ])("refuses %s and creates nothing", async (_, body, message) => {
    const before = sandbox.fileIds().length;
    const answer = await alice("POST", SPREADSHEETS, body);
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 400, status: "INVALID_ARGUMENT" } } });
    expect(messageOf(answer)).toContain(message);
    expect(sandbox.fileIds()).toHaveLength(before);
  });
});

function cells(cell: object): object {
  return { sheets: [{ data: [{ rowData: [{ values: [cell] }] }] }] };
}

function grid(gridProperties: object, block: object): object {
  const rowData = [{ values: [{ userEnteredValue: { numberValue: 1 } }] }];
  return { sheets: [{ properties: { gridProperties }, data: [{ ...block, rowData }] }] };
}

describe("reading", () => {
  let id = "";
  beforeAll(() => {
    id = sandbox.addFile({
      title: "Book",
      sheets: [
        { title: "Hidden", sheetId: 7, hidden: true, rows: 5, columns: 4, cells: { B2: "=1+1", D5: "$5" } },
        { title: "Jon's Data", sheetId: 0, rows: 3, columns: 2, cells: { A1: "a", B3: true } },
        { title: "Chart", sheetId: 9, chart: true },
      ],
    });
  });

  test("without cells it returns the sheets, without zero and false", async () => {
    const fields =
      "spreadsheetId,properties(title),sheets(properties(sheetId,title,index,sheetType,hidden,gridProperties(rowCount,columnCount)))";
    const { body } = await alice("GET", addressOf(id, `?fields=${fields}`));
    expect(body).toEqual({
      spreadsheetId: id,
      properties: { title: "Book" },
      sheets: [
        {
          properties: {
            sheetId: 7,
            title: "Hidden",
            sheetType: "GRID",
            hidden: true,
            gridProperties: { rowCount: 5, columnCount: 4 },
          },
        },
        {
          properties: {
            title: "Jon's Data",
            index: 1,
            sheetType: "GRID",
            gridProperties: { rowCount: 3, columnCount: 2 },
          },
        },
        { properties: { sheetId: 9, title: "Chart", index: 2, sheetType: "OBJECT" } },
      ],
    });
  });

  test("only sheets of the ranges are sent, with rows and cells up to the last non-empty one", async () => {
    const ranges = `ranges=${encoded("'Hidden'!A1:D4")}`;
    const fields =
      "fields=sheets(properties(title),data(startRow,startColumn,rowData(values(userEnteredValue,formattedValue))))";
    const { body } = await alice("GET", addressOf(id, `?${ranges}&${fields}`));
    expect(body).toEqual({
      sheets: [
        {
          properties: { title: "Hidden" },
          data: [
            {
              rowData: [
                {},
                { values: [{}, { userEnteredValue: { formulaValue: "=1+1" }, formattedValue: "2" }] },
              ],
            },
          ],
        },
      ],
    });
  });

  test("the start of a block is included if it is not zero", async () => {
    const ranges = `ranges=${encoded("'Hidden'!C5:Z99")}`;
    const { body } = await alice(
      "GET",
      addressOf(id, `?${ranges}&fields=sheets(data(startRow,startColumn))`),
    );
    expect(body).toEqual({ sheets: [{ data: [{ startRow: 4, startColumn: 2 }] }] });
  });

  test("a range without a title is the first visible sheet", async () => {
    const { body } = await alice("GET", addressOf(id, "?ranges=A1:B9&fields=sheets.properties.title"));
    expect(body).toEqual({ sheets: [{ properties: { title: "Jon's Data" } }] });
  });

  test("a mask selects cells; without one, the flag does", async () => {
    const masked = await alice(
      "GET",
      addressOf(id, "?includeGridData=true&fields=sheets.properties.sheetType"),
    );
    expect(JSON.stringify(masked.body)).not.toContain("rowData");
    const whole = await alice("GET", addressOf(id, "?includeGridData=true"));
    expect(JSON.stringify(whole.body)).toContain("rowData");
    const bare = await alice("GET", addressOf(id));
    expect(JSON.stringify(bare.body)).not.toContain("rowData");
  });

  test.each([
    ["an unknown sheet", `?ranges=${encoded("'Nope'!A1")}`, "Unable to parse range: 'Nope'!A1"],
    ["a title in other case", `?ranges=${encoded("'hidden'!A1")}`, "Unable to parse range"],
    ["a doubly encoded title", `?ranges=${encoded(encoded("'Jon''s Data'!A1"))}`, "Unable to parse range"],
    ["a sheet of a chart", "?ranges=Chart!A1", "Unable to parse range"],
    [
      "a start below the grid",
      `?ranges=${encoded("'Hidden'!A6:B9")}`,
      "exceeds grid limits. Max rows: 5, max columns: 4",
    ],
    [
      "a start to the right of the grid",
      `?ranges=${encoded("'Hidden'!E1:F2")}`,
      "exceeds grid limits. Max rows: 5, max columns: 4",
    ],
    [
      "a mask of an unknown field",
      "?fields=sheets(rows)",
      "Cannot find matching fields for path 'sheets.rows'",
    ],
    ["an unknown parameter", "?range=A1", 'Unknown name "range"'],
    ["a token in the address", "?access_token=x", 'Unknown name "access_token"'],
  ])("refuses %s", async (_, query, message) => {
    const answer = await alice("GET", addressOf(id, query));
    expect(answer.status).toBe(400);
    expect(messageOf(answer)).toContain(message);
  });

  test("long answers are compressed if both headers of the client ask for it", async () => {
    const { accessToken } = sandbox.issueToken("alice", [DRIVE_READONLY]);
    const accepting = { authorization: `Bearer ${accessToken}`, "accept-encoding": "gzip" };
    const headers = { ...accepting, "user-agent": "a client (gzip)" };
    const long = sandbox.addFile({ sheets: [{ title: "S", cells: { A1: "x".repeat(5000) } }] });
    const answer = await fetch(sandbox.url + addressOf(long, "?includeGridData=true"), {
      headers,
      decompress: false,
    });
    expect(answer.headers.get("content-encoding")).toBe("gzip");
    const text = new TextDecoder().decode(Bun.gunzipSync(new Uint8Array(await answer.arrayBuffer())));
    expect(text).toContain("x".repeat(5000));
    const plain = await fetch(sandbox.url + addressOf(long, "?includeGridData=true"), { headers: accepting });
    expect(plain.headers.get("content-encoding")).toBeNull();
  });
});

describe("a stand-in that sends empty fields", () => {
  test("sends zero and false too", async () => {
    await using other = await startSheetsSandbox({ sendEmpty: true });
    const id = other.addFile();
    const { body } = await callerOf(other)(
      "GET",
      addressOf(id, "?fields=sheets.properties(sheetId,index,hidden)"),
    );
    expect(body).toEqual({ sheets: [{ properties: { sheetId: 0, index: 0, hidden: false } }] });
  });
});
