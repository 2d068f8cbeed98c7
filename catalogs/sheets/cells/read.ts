// Converts the cells of the platform's answer for the tools, in one pass: a window may have 100,000 cells, so nothing is
// copied and column letters are computed once.
import type { Json, JsonObject } from "../../../src/tools";
import { isJsonObject, numberIn } from "../../upstream/json";
import { columnLetters } from "./column";
import { type CellValue, markedText } from "./entry";

export interface ReadCell {
  userEnteredValue: CellValue;
  formattedValue: string;
  note?: string;
}

/** Row number → column letters → cell. */
export type ReadData = Record<string, Record<string, ReadCell>>;

export interface ReadGrid {
  data: ReadData;
  /** Upper bound for the size of the data as JSON. */
  maxBytes: number;
}

/** Maximum size of a cell as JSON without its texts but with a number, and of one character. */
const BYTES_OF_CELL = 100;
const BYTES_OF_CHARACTER = 6;

/** @param grid the platform's block of cells, with its start row and column */
export function readCells(grid: JsonObject): ReadGrid {
  const firstRow = numberIn(grid, "startRow") + 1;
  const firstColumn = numberIn(grid, "startColumn") + 1;
  const letters: string[] = [];
  const data: ReadData = {};
  let cellCount = 0;
  let characters = 0;
  const rows = listIn(grid["rowData"]);
  for (let down = 0; down < rows.length; down++) {
    const row = rows[down];
    const values = isJsonObject(row) ? listIn(row["values"]) : [];
    let cells: Record<string, ReadCell> | undefined;
    for (let right = 0; right < values.length; right++) {
      const cell = readCell(values[right]);
      if (cell === undefined) continue;
      cells ??= data[firstRow + down] = {};
      cells[(letters[right] ??= columnLetters(firstColumn + right))] = cell;
      cellCount++;
      characters += cell.formattedValue.length + (cell.note?.length ?? 0);
      if (typeof cell.userEnteredValue === "string") characters += cell.userEnteredValue.length;
    }
  }
  return { data, maxBytes: cellCount * BYTES_OF_CELL + characters * BYTES_OF_CHARACTER };
}

/** Undefined for an empty cell. Zero and false are not empty, and neither is a cell with a note. */
export function readCell(cell: Json | undefined): ReadCell | undefined {
  if (!isJsonObject(cell)) return undefined;
  const { userEnteredValue: value, formattedValue: shown, note } = cell;
  const userEnteredValue = isJsonObject(value) ? enteredIn(value) : "";
  const formattedValue = typeof shown === "string" ? shown : "";
  if (typeof note === "string" && note !== "") return { userEnteredValue, formattedValue, note };
  return userEnteredValue === "" && formattedValue === "" ? undefined : { userEnteredValue, formattedValue };
}

/** Text is marked where `data` would read it otherwise; a formula is not. */
function enteredIn(value: JsonObject): CellValue {
  const text = value["stringValue"];
  if (typeof text === "string") return text === "" ? "" : markedText(text);
  const entered = value["numberValue"] ?? value["boolValue"] ?? value["formulaValue"];
  return typeof entered === "string" || typeof entered === "number" || typeof entered === "boolean"
    ? entered
    : "";
}

function listIn(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}
