// Sheets.CreateSpreadsheet against the stand-in of the platform.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { startSheetsSandbox, type SheetsSandbox } from "../../../sandbox/sheets";
import { GIVEN, readCell } from "../expected-cells";
import { at, basesOf, Connection } from "../run";
import { Stub } from "../stub";

let sandbox: SheetsSandbox;
beforeAll(async () => {
  sandbox = await startSheetsSandbox();
});
afterAll(() => sandbox.stop());
afterEach(() => {
  sandbox.clearFaults();
  sandbox.clearRequests();
});

const create = (input: object, person = "alice") =>
  Connection.to(sandbox, person).run("CreateSpreadsheet", { ...input });
const idOf = (output: unknown): string => String(at(output, "spreadsheetId"));

test("makes one call that requests only the returned fields", async () => {
  const output = await create({ title: "Budget", data: '{"1":{"A":"x"}}' });
  const id = idOf(output);
  expect(output).toEqual({
    title: "Budget",
    spreadsheetId: id,
    spreadsheetUrl: `https://docs.google.com/spreadsheets/d/${id}/edit`,
  });
  expect(sandbox.requests).toMatchObject([
    {
      method: "spreadsheets.create",
      query: { fields: "spreadsheetId,spreadsheetUrl,properties(title),sheets(properties(sheetId,title))" },
    },
  ]);
  expect(sandbox.cell(id, "Sheet1", "A1").entered).toBe("x");
});

test("formulas and dates are returned as they show", async () => {
  const data = { 1: { A: "=1+1", B: "text" }, 2: { B: "=1/0", C: "2026-03-01" } };
  const output = await create({ data: JSON.stringify(data) });
  expect(at(output, "displayedValues")).toEqual({
    1: { A: "2" },
    2: { B: "#DIV/0!", C: "2026-03-01" },
  });
  expect(sandbox.requests.map(({ method }) => method)).toEqual(["spreadsheets.create", "spreadsheets.get"]);
});

test("a spreadsheet whose cells cannot be read afterwards was created", async () => {
  sandbox.fail("spreadsheets.get", { kind: "error", code: 404, message: "Gone.", status: "NOT_FOUND" });
  const output = await create({ data: '{"1":{"A":"=1+1"}}' });
  expect(idOf(output)).not.toBe("undefined");
  expect(output).not.toHaveProperty("displayedValues");
});

test("every value has the right type when the other tools read it", async () => {
  const data = Object.fromEntries(GIVEN.map(({ value }, index) => [index + 1, { B: value }]));
  const connection = Connection.to(sandbox);
  const made = await connection.run("CreateSpreadsheet", { data: JSON.stringify(data) });
  const read = await connection.run("GetSpreadsheet", { spreadsheet_id: idOf(made) });
  const expected = GIVEN.flatMap(({ cell }, index) =>
    cell === null ? [] : [[String(index + 1), { B: readCell(cell) }]],
  );
  expect(at(read, "sheets.0.data")).toEqual(Object.fromEntries(expected));
});

describe("title", () => {
  test.each([undefined, null, "", "  \n"])("%p is the default", async (title) => {
    expect(at(await create({ title }), "title")).toBe("Untitled spreadsheet");
  });

  test("is kept unchanged", async () => {
    const title = '  Jon\'s "😀" / plan ';
    const output = await create({ title });
    expect(at(output, "title")).toBe(title);
    expect(sandbox.titleOf(idOf(output))).toBe(title);
  });
});

describe("the first sheet", () => {
  test.each([undefined, null, "{}", '{"3":{}}'])("is empty for data %p", async (data) => {
    const id = idOf(await create({ data }));
    expect(sandbox.sheets(id)).toMatchObject([{ title: "Sheet1", rowCount: 1000, columnCount: 26 }]);
    expect(sandbox.requests[0]?.body).not.toHaveProperty("sheets.0.data");
  });

  test("is called Sheet1 in every language", async () => {
    const output = await create({}, "bob");
    expect(sandbox.sheets(idOf(output))).toMatchObject([{ title: "Sheet1" }]);
  });

  test.each<[string, object, [number, number]]>([
    ["more rows", { 1001: { A: 1 } }, [1001, 26]],
    ["more columns", { 1: { AB: 1 } }, [1000, 28]],
    [
      "the longest data, for which the usual width would be too much",
      { 10_000_000: { A: 1 } },
      [10_000_000, 1],
    ],
    ["the widest data, for which the usual length would be too much", { 2: { ZZZ: 1 } }, [547, 18_278]],
    ["long data that leaves some room", { 400_000: { B: 1 } }, [400_000, 25]],
  ])("has room for %s", async (_, data, [rowCount, columnCount]) => {
    const id = idOf(await create({ data: JSON.stringify(data) }));
    expect(sandbox.sheets(id)).toMatchObject([{ rowCount, columnCount }]);
  });

  test("other cells stay blank", async () => {
    const id = idOf(
      await create({
        data: JSON.stringify({
          1: { A: "x", C: "", D: "=ISBLANK(B1)", E: "=ISBLANK(C1)", F: "=COUNTA(A1:C9)" },
        }),
      }),
    );
    expect(["D1", "E1", "F1"].map((cell) => sandbox.cell(id, "Sheet1", cell).shown)).toEqual([
      "TRUE",
      "TRUE",
      "1",
    ]);
  });

  test("a year is displayed as a year", async () => {
    const id = idOf(await create({ data: '{"1":{"A":2024}}' }));
    expect(sandbox.cell(id, "Sheet1", "A1")).toMatchObject({ shown: "2024", pattern: null });
  });
});

test.each([
  "nonsense",
  '{"0":{"A":1}}',
  '{"1":{"AAAA":1}}',
  JSON.stringify({ 1: { A: "x".repeat(50_001) } }),
])("invalid data sends nothing: %#", async (data) => {
  const error = await Connection.to(sandbox).failure("CreateSpreadsheet", { data });
  expect(error).toMatchObject({ kind: "TOOL_RUNTIME_RETRY", canRetry: true });
  expect(sandbox.calls()).toBe(0);
});

describe("never two files", () => {
  const files = () => sandbox.fileIds().length;
  const unknown = { canRetry: false, details: { extra: { outcome: "unknown" } } };

  test.each([
    ["an answer of 503", { kind: "server_error" } as const, 0],
    ["an answer of 503 after the work", { kind: "late_server_error" } as const, 1],
    ["a connection that breaks", { kind: "reset_after" } as const, 1],
    ["an answer that is none", { kind: "not_json" } as const, 0],
  ])("%s: one request, and the outcome is unknown", async (_, fault, made) => {
    const before = files();
    sandbox.fail("spreadsheets.create", fault);
    const error = await Connection.to(sandbox).failure("CreateSpreadsheet");
    expect(error).toMatchObject(unknown);
    expect(sandbox.calls("spreadsheets.create")).toBe(1);
    expect(files()).toBe(before + made);
  });

  test("a rate limit did nothing: retried", async () => {
    const before = files();
    sandbox.fail("spreadsheets.create", { kind: "rate_limit", retryAfter: 2 });
    await create({});
    expect(sandbox.calls("spreadsheets.create")).toBe(2);
    expect(files()).toBe(before + 1);
  });

  test("an answer without an id is a failure with an unknown outcome", async () => {
    await using stub = new Stub().on("v4/spreadsheets", {});
    const error = await new Connection(basesOf(stub.url)).failure("CreateSpreadsheet");
    expect(error).toMatchObject({ kind: "UPSTREAM_RUNTIME_SERVER_ERROR", ...unknown });
  });
});
