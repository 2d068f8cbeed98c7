// Whatever `data` is written, by CreateSpreadsheet and by UpdateCells, in files of every locale, comes back from
// GetSpreadsheet as it must, and nothing else does; what was read is written back unchanged. 100 generated objects; 1,000
// in the long run.
import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { columnLetters } from "../../../catalogs/sheets/cells/column";
import { isObject } from "../../../src/base";
import { startSheetsSandbox, type SheetsSandbox } from "../../sandbox/sheets";
import { cellsOfData, type SampleCell, type Told } from "./generated-data";
import { at, Connection } from "./run";

const RUNS = process.env["RUNTIME_TEST_LONG"] === "1" ? 1000 : 100;
const WINDOW = { rows: 200, columns: 100 };

let sandbox: SheetsSandbox;
beforeAll(async () => {
  sandbox = await startSheetsSandbox();
});
afterAll(() => sandbox.stop());

const LOCALES = ["en_US", "de_DE", "fr_FR", "tr_TR"];

/** `data` as a model writes it; the case of the letters does not matter. */
function dataOf(cells: readonly SampleCell[]): string {
  const rows: Record<string, Record<string, SampleCell["value"]>> = {};
  for (const { row, column, value } of cells) {
    const letters = columnLetters(column);
    (rows[row] ??= {})[row % 2 === 0 ? letters.toLowerCase() : letters] = value;
  }
  return JSON.stringify(rows);
}

/** Everything that stands in the windows around the cells, by name. */
async function readBack(connection: Connection, id: string, cells: readonly SampleCell[]) {
  const found = new Map<string, unknown>();
  const windows = new Set(
    cells.map(({ row, column }) =>
      [row, column]
        .map((place, axis) => {
          const size = axis === 0 ? WINDOW.rows : WINDOW.columns;
          return Math.floor((place - 1) / size) * size + 1;
        })
        .join(" "),
    ),
  );
  for (const window of windows) {
    const [row, column] = window.split(" ");
    const output = await connection.run("GetSpreadsheet", {
      spreadsheet_id: id,
      start_row: row,
      start_col: column,
      max_rows: WINDOW.rows,
      max_cols: WINDOW.columns,
    });
    const data = at(output, "sheets.0.data");
    for (const [number, columns] of Object.entries(isObject(data) ? data : {})) {
      for (const [letters, cell] of Object.entries(isObject(columns) ? columns : {})) {
        found.set(`${letters}${number}`, cell);
      }
    }
  }
  return found;
}

function check(found: Map<string, unknown>, cells: readonly SampleCell[]): void {
  const expected = cells.flatMap(({ row, column, cell: told }) =>
    told === null ? [] : [[`${columnLetters(column)}${row}`, told] as const],
  );
  expect([...found.keys()].toSorted()).toEqual(expected.map(([name]) => name).toSorted());
  for (const [name, told] of expected)
    expect({ name, cell: found.get(name) }).toEqual({ name, cell: cellOf(told) });
}

function cellOf({ entered, shown }: Told) {
  const isFraction = typeof entered === "number" && !Number.isInteger(entered) && Math.abs(entered) < 1000;
  return {
    // Times and percentages are quotients, of which the last bit depends on the way they are computed.
    userEnteredValue: isFraction ? expect.closeTo(entered, 12) : entered,
    formattedValue: shown ?? expect.any(String),
  };
}

/** What was read as the `data` of a write. */
function writtenBack(found: Map<string, unknown>): string {
  const rows: Record<string, Record<string, unknown>> = {};
  for (const [name, cell] of found) {
    const [, letters = "", row = ""] = /^([A-Z]+)(\d+)$/.exec(name) ?? [];
    (rows[row] ??= {})[letters] = at(cell, "userEnteredValue");
  }
  return JSON.stringify(rows);
}

/** The entered values by name; without dates, whose format belongs to the cell. */
function enteredIn(found: Map<string, unknown>): Map<string, unknown> {
  return new Map([...found].map(([name, cell]) => [name, at(cell, "userEnteredValue")]));
}

const isFilled = ({ cell }: SampleCell): boolean => cell !== null;

test("through CreateSpreadsheet, and from there into another spreadsheet", async () => {
  await fc.assert(
    fc.asyncProperty(cellsOfData, fc.constantFrom("alice", "bob"), async (cells, person) => {
      const connection = Connection.to(sandbox, person);
      const made = await connection.run("CreateSpreadsheet", { data: dataOf(cells) });
      const found = await readBack(connection, String(at(made, "spreadsheetId")), cells);
      check(found, cells);
      const copy = await connection.run("CreateSpreadsheet", { data: writtenBack(found) });
      const again = await readBack(connection, String(at(copy, "spreadsheetId")), cells);
      expect(enteredIn(again)).toEqual(enteredIn(found));
    }),
    { numRuns: RUNS, seed: 20_260_301 },
  );
}, 600_000);

const UPDATED = "through UpdateCells, into a sheet that is too small for most of it, and over itself";
test.each(LOCALES)(
  `${UPDATED}: %s`,
  async (locale) => {
    await fc.assert(
      fc.asyncProperty(cellsOfData, async (cells) => {
        const connection = Connection.to(sandbox);
        const sheet = { title: "Jon's 😀 Data", sheetId: 0, rows: 2, columns: 2 };
        const id = sandbox.addFile({ locale, sheets: [sheet] });
        const output = await connection.run("UpdateCells", { spreadsheet_id: id, data: dataOf(cells) });
        expect(at(output, "updatedCells")).toBe(cells.length);
        const found = await readBack(connection, id, cells);
        check(found, cells);
        if (!cells.some(isFilled)) return;
        await connection.run("UpdateCells", { spreadsheet_id: id, data: writtenBack(found) });
        expect(await readBack(connection, id, cells)).toEqual(found);
      }),
      { numRuns: RUNS / LOCALES.length, seed: 20_260_302 },
    );
  },
  600_000,
);
