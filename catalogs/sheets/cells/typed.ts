// Cells of a new spreadsheet. The create call takes typed values.
import type { JsonObject } from "../../../src/tools";
import { blocksOf } from "./blocks";
import type { Data } from "./data";
import { type CellValue, entryOf } from "./entry";

/** The formats of typed dates, so that both ways of writing show the same. */
const FORMATS = {
  date: { type: "DATE", pattern: "yyyy-mm-dd" },
  date_time: { type: "DATE_TIME", pattern: "yyyy-mm-dd h:mm:ss" },
} as const;

/** Blocks of cells for the platform's create call. Empty cells are not sent. */
export function gridData(data: Data): JsonObject[] {
  const typed: { row: number; column: number; cell: JsonObject }[] = [];
  for (const { row, column, value } of data.cells) {
    const cell = typedCell(value);
    if (cell !== undefined) typed.push({ row, column, cell });
  }
  return blocksOf(typed).map((block) => ({
    startRow: block.firstRow - 1,
    startColumn: block.firstColumn - 1,
    rowData: block.rows.map((row) => ({ values: row.map(({ cell }) => cell) })),
  }));
}

/** A value as a typed cell of the platform; undefined for an empty one. */
export function typedCell(value: CellValue): JsonObject | undefined {
  const entry = entryOf(value);
  switch (entry.kind) {
    case "empty":
      return undefined;
    case "number":
      return { userEnteredValue: { numberValue: entry.number } };
    case "boolean":
      return { userEnteredValue: { boolValue: entry.boolean } };
    case "formula":
      return { userEnteredValue: { formulaValue: entry.formula } };
    case "text":
      return { userEnteredValue: { stringValue: entry.text } };
    case "date":
    case "date_time":
      return {
        userEnteredValue: { numberValue: entry.serial },
        userEnteredFormat: { numberFormat: FORMATS[entry.kind] },
      };
  }
}
