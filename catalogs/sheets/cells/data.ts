// The parameter `data`: the text of a JSON object, `{"<row>": {"<COLUMN>": value}}`. It is checked before any call.
// Errors name the cell or key and the rule, and can be retried.
import { endOfString, isObject, parsePlainJson, retryableInput, type ToolError } from "../../../src/tools";
import { MAX_CELLS, MAX_COLUMN, MAX_ROW, MAX_TEXT } from "../limits";
import { cellName } from "./a1";
import { columnLetters, columnNumber } from "./column";
import type { CellValue } from "./entry";
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

export const DATA_FORMAT =
  'JSON text of an object that maps row numbers to objects that map column letters to values, for example {"23": {"C": 5, "D": "text"}} for the cells C23 and D23.';

/** Cells of one call. Their number, not the length of the text, is what takes time here and at the platform. */
const MOST_GIVEN = 50_000;

const EMPTY: Data = { cells: [], lastRow: 0, lastColumn: 0 };

/** Parses the parameter. Without it there are no cells. Throws `ToolError`. */
export function parseData(text: string | undefined): Data {
  if (text === undefined) return EMPTY;
  const rows = parsedRows(text);
  const cells = Object.entries(rows)
    .flatMap(([key, value]) => cellsOfRow(rowNumber(key), value))
    .toSorted((left, right) => left.row - right.row || left.column - right.column);
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

function parsedRows(text: string): { [key: string]: unknown } {
  let parsed: unknown;
  try {
    parsed = withLongNumbers(text, parsePlainJson(text));
  } catch {
    throw refusal("it is not JSON");
  }
  if (!isObject(parsed)) throw refusal("it must be a JSON object");
  const count = Object.values(parsed).reduce<number>((sum, row) => sum + Object.keys(Object(row)).length, 0);
  if (count > MOST_GIVEN) throw refusal(`it has ${count} cells; one call takes at most ${MOST_GIVEN}`);
  const repeated = repeatedKey(text);
  if (repeated !== undefined) throw refusal(`the key ${shown(repeated)} occurs twice in one object`);
  return parsed;
}

function rowNumber(key: string): number {
  const row = /^[1-9][0-9]{0,7}$/.test(key) ? Number(key) : Infinity;
  if (row > MAX_ROW) throw refusal(`row ${shown(key)} is not a number from 1 to ${MAX_ROW}`);
  return row;
}

function cellsOfRow(row: number, value: unknown): Cell[] {
  if (!isObject(value) || value instanceof LongNumber) {
    throw refusal(`row ${row} must be an object of columns`);
  }
  const columns = new Set<number>();
  return Object.entries(value).map(([key, inner]) => {
    const column = columnNumber(key);
    if (column === undefined) {
      throw refusal(
        `in row ${row}, column ${shown(key)} must be letters from A to ${columnLetters(MAX_COLUMN)}`,
      );
    }
    if (columns.has(column)) throw refusal(`row ${row} contains column ${columnLetters(column)} twice`);
    columns.add(column);
    return { row, column, value: cellValue(row, column, inner) };
  });
}

function cellValue(row: number, column: number, value: unknown): CellValue {
  const where = `cell ${cellName(row, column)}`;
  if (typeof value === "boolean") return value;
  if (typeof value === "number") return value;
  if (value instanceof LongNumber) throw unholdable(where, value.source);
  if (typeof value !== "string") throw refusal(`${where} must be a number, a text, true or false`);
  if (isTooLong(value)) throw refusal(`${where} contains more than ${MAX_TEXT} characters`);
  return value;
}

function unholdable(where: string, source: string): ToolError {
  const number = source.length > 60 ? `${source.slice(0, 60)}…` : source;
  if (!Number.isFinite(Number(source))) return refusal(`${where} contains a number that is too large`);
  return refusal(
    `${where} contains the number ${number}, which has more digits than a cell can hold. ` +
      "Give it as JSON text in quotes, or round it to 15 digits",
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
    additionalPromptContent: `\`data\` is ${DATA_FORMAT}`,
  });
}

/**
 * The first duplicate key in an object of the text. A parser would silently use the last value.
 * The text must be valid JSON.
 */
export function repeatedKey(text: string): string | undefined {
  /** A set of keys per open object, undefined per open list. */
  const open: (Set<string> | undefined)[] = [];
  let last = "";
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === '"') {
      const end = endOfString(text, at);
      last = text.slice(at, end + 1);
      at = end;
    } else if (character === "{") open.push(new Set());
    else if (character === "[") open.push(undefined);
    else if (character === "}" || character === "]") open.pop();
    else if (character === ":") {
      const keys = open.at(-1);
      const key: string = last.includes("\\") ? JSON.parse(last) : last.slice(1, -1);
      if (keys?.has(key)) return key;
      keys?.add(key);
    }
  }
  return undefined;
}
