// The parameter `data`: the text of a JSON object, `{"<row>": {"<COLUMN>": value}}`. It is checked before any call.
// Errors name the cell or key and the rule, and can be retried.
import { isObject, nextTurn, parsePlainJson, retryableInput, type ToolError } from "../../../src/tools";
import { MAX_CELLS, MAX_COLUMN, MAX_ROW, MAX_TEXT } from "../limits";
import { cellName } from "./a1";
import { columnLetters, columnNumber } from "./column";
import type { CellValue } from "./entry";
import { repeatedKey } from "../../upstream/repeated-key";
import { LongNumber, withLongNumbers } from "./number";

/** One cell; row and column count from 1. */
export interface Cell {
  row: number;
  column: number;
  value: CellValue;
}

/** The cells, sorted by row and column. */
export interface Data {
  cells: readonly Cell[];
  /** The grid that contains them; 0 and 0 if there are none. */
  lastRow: number;
  lastColumn: number;
}

export const DATA_EXAMPLE = '{"23": {"C": 5, "D": "text"}}';

export const DATA_FORMAT =
  "JSON text of an object that maps row numbers to objects that map column letters to values, for example " +
  `${DATA_EXAMPLE} for the cells C23 and D23.`;

/** Cells of one call. Their number, not the length of the text, is what takes time here and at the platform. */
const MOST_GIVEN = 50_000;

/** Rows that are read without a pause for other work. */
const AT_ONCE = 5000;

const EMPTY: Data = { cells: [], lastRow: 0, lastColumn: 0 };

/** Parses the parameter. Without it there are no cells. Throws `ToolError`. */
export async function parseData(text: string | undefined): Promise<Data> {
  if (text === undefined) return EMPTY;
  const cells: Cell[] = [];
  // The keys of valid rows are indexes of an object, which come in the order of their numbers.
  for (const [index, [key, value]] of Object.entries(await parsedRows(text)).entries()) {
    if (index % AT_ONCE === 0) await nextTurn();
    addRow(cells, rowNumber(key), value);
  }
  const lastRow = cells.at(-1)?.row ?? 0;
  const lastColumn = cells.reduce((last, { column }) => Math.max(last, column), 0);
  if (lastRow * lastColumn > MAX_CELLS) {
    throw refusal(
      `it extends to ${cellName(lastRow, lastColumn)}, a grid of ${lastRow} × ${lastColumn} cells; ` +
        `a spreadsheet has at most ${MAX_CELLS}`,
    );
  }
  return { cells, lastRow, lastColumn };
}

/** Throws what `parseData` throws, and a `ToolError` if cells are required and there are none. */
export async function checkData(text: string | undefined, { isRequired = false } = {}): Promise<void> {
  const { cells } = await parseData(text);
  if (isRequired && cells.length === 0) throw refusal("it contains no cell");
}

async function parsedRows(text: string): Promise<{ [key: string]: unknown }> {
  let parsed: unknown;
  try {
    parsed = withLongNumbers(text, parsePlainJson(text));
  } catch {
    throw refusal(`data must be JSON text (for example: ${DATA_EXAMPLE})`);
  }
  if (!isObject(parsed)) throw refusal(`data must be a JSON object (for example: ${DATA_EXAMPLE})`);
  const count = Object.values(parsed).reduce<number>((sum, row) => sum + Object.keys(Object(row)).length, 0);
  if (count > MOST_GIVEN)
    throw refusal(`data must have at most ${MOST_GIVEN} cells in one call; it has ${count}`);
  await nextTurn();
  const repeated = repeatedKey(text);
  if (repeated !== undefined) throw refusal(`the key ${shown(repeated)} must not occur twice in one object`);
  return parsed;
}

function rowNumber(key: string): number {
  const row = /^[1-9][0-9]{0,7}$/.test(key) ? Number(key) : Infinity;
  if (row > MAX_ROW)
    throw refusal(`in data, the row ${shown(key)} must be a number from 1 to ${MAX_ROW}${nearestRow(key)}`);
  return row;
}

/** Rows that were counted from 0, or written with other signs. */
function nearestRow(key: string): string {
  const number = Number(key.replaceAll(/\D/g, "") || "x");
  return Number.isNaN(number) || number > MAX_ROW
    ? " (for example: 1)"
    : ` (nearest: ${Math.max(1, number)})`;
}

/** Columns that were counted, or written with the row. */
function nearestColumn(key: string): string {
  const letters = columnNumber(key.replaceAll(/[^A-Za-z]/g, ""));
  const column = letters ?? Number(key);
  return column >= 1 && column <= MAX_COLUMN ? ` (nearest: ${columnLetters(column)})` : " (for example: A)";
}

function addRow(cells: Cell[], row: number, value: unknown): void {
  if (!isObject(value) || value instanceof LongNumber) {
    throw refusal(`data.${row} must be an object that maps column letters to values (for example: {"C": 5})`);
  }
  const found = Object.entries(value).map(([key, inner]): Cell => {
    const column = columnNumber(key);
    if (column === undefined) {
      throw refusal(
        `in data.${row}, the column ${shown(key)} must be letters from A to ${columnLetters(MAX_COLUMN)}${nearestColumn(key)}`,
      );
    }
    return { row, column, value: cellValue(row, column, inner) };
  });
  found.sort((left, right) => left.column - right.column);
  for (const [index, cell] of found.entries()) {
    if (cell.column === found[index - 1]?.column)
      throw refusal(`data.${row} must not contain the column ${columnLetters(cell.column)} twice`);
    cells.push(cell);
  }
}

function cellValue(row: number, column: number, value: unknown): CellValue {
  if (typeof value === "boolean" || typeof value === "number") return value;
  if (typeof value === "string" && !isTooLong(value)) return value;
  const where = `data.${row}.${columnLetters(column)}`;
  if (value instanceof LongNumber) throw unholdable(where, value.source);
  if (typeof value !== "string") throw refusal(`${where} must be a number, a text, true or false`);
  throw refusal(`${where} must have at most ${MAX_TEXT} characters`);
}

function unholdable(where: string, source: string): ToolError {
  const number = source.length > 60 ? `${source.slice(0, 60)}…` : source;
  if (!Number.isFinite(Number(source)))
    return refusal(`${where} must not be a number that is too large for a cell`);
  return refusal(
    `${where} must not be a number with more digits than a cell can hold (nearest: ${JSON.stringify(number)}); ` +
      "give it as JSON text in quotes, or round it to 15 digits",
  );
}

/** Whether a text does not fit in one cell. */
export function isTooLong(text: string): boolean {
  // There are at least as many code units as characters, so most texts need no counting.
  return text.length > MAX_TEXT && Array.from(text).length > MAX_TEXT;
}

/** A key for an error message: shortened and escaped. */
function shown(key: string): string {
  return JSON.stringify(key.length > 40 ? `${key.slice(0, 40)}…` : key);
}

/** `rule` completes the sentence "`data` is not valid: …". */
export function refusal(rule: string): ToolError {
  return retryableInput(`\`data\` is not valid: ${rule}.`, {
    additionalPromptContent: `Correct it and call again. \`data\` is ${DATA_FORMAT}`,
  });
}
