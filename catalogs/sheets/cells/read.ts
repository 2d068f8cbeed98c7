// Cells of the platform's answer as the tools show them, in one pass.
import type { JsonObject } from "../../../src/tools";
import { isJsonObject, numberIn, objectIn, textIn } from "../upstream/json";
import { columnLetters } from "./column";
import type { CellValue } from "./data";

export interface ReadCell {
  userEnteredValue: CellValue;
  formattedValue: string;
}

/** Row number → column letters → cell. */
export type ReadData = Record<string, Record<string, ReadCell>>;

/** @param grid the platform's block of cells, which tells where it begins */
export function readCells(grid: JsonObject): ReadData {
  const firstRow = numberIn(grid, "startRow") + 1;
  const firstColumn = numberIn(grid, "startColumn") + 1;
  /** Letters of each column, made once. */
  const letters: string[] = [];
  const data: ReadData = {};
  for (const [rowIndex, row] of listIn(grid, "rowData").entries()) {
    const cells: Record<string, ReadCell> = {};
    let any = false;
    for (const [index, value] of listIn(row, "values").entries()) {
      const cell = readCell(value);
      if (cell === undefined) continue;
      const name = (letters[index] ??= columnLetters(firstColumn + index));
      cells[name] = cell;
      any = true;
    }
    if (any) data[firstRow + rowIndex] = cells;
  }
  return data;
}

/** Undefined for a cell that holds nothing and shows nothing. Zero and false are something. */
function readCell(cell: JsonObject): ReadCell | undefined {
  const userEnteredValue = enteredIn(objectIn(cell, "userEnteredValue"));
  const formattedValue = textIn(cell, "formattedValue") ?? "";
  return userEnteredValue === "" && formattedValue === "" ? undefined : { userEnteredValue, formattedValue };
}

function enteredIn(value: JsonObject): CellValue {
  const entered = value["stringValue"] ?? value["numberValue"] ?? value["boolValue"] ?? value["formulaValue"];
  return typeof entered === "string" || typeof entered === "number" || typeof entered === "boolean"
    ? entered
    : "";
}

/** The objects of a list, each at its place. */
function listIn(from: JsonObject, field: string): JsonObject[] {
  const value = from[field];
  return Array.isArray(value) ? value.map((item) => (isJsonObject(item) ? item : {})) : [];
}
