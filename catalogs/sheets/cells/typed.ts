// Cells of a new spreadsheet. The create call cannot parse text as if it were typed, so this file parses the forms that
// models use for money and percentages; all other values are sent unchanged.
import type { JsonObject } from "../../../src/tools";
import { blocksOf } from "./blocks";
import type { CellValue, Data } from "./data";

const AMOUNT = String.raw`-?(?:\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?`;
const MONEY = new RegExp(`^\\$(${AMOUNT})$`);
const PERCENTAGE = new RegExp(`^(${AMOUNT})%$`);

/** Blocks of cells for the platform's create call. Empty cells are not sent. */
export function gridData(data: Data): JsonObject[] {
  const typed = data.cells.flatMap(({ row, column, value }) => {
    const cell = typedCell(value);
    return cell === undefined ? [] : [{ row, column, cell }];
  });
  return blocksOf(typed).map((block) => ({
    startRow: block.firstRow - 1,
    startColumn: block.firstColumn - 1,
    rowData: block.rows.map((row) => ({ values: row.map(({ cell }) => cell) })),
  }));
}

/** A value as a typed cell of the platform; undefined for an empty one. */
export function typedCell(value: CellValue): JsonObject | undefined {
  if (typeof value === "boolean") return { userEnteredValue: { boolValue: value } };
  if (typeof value === "number") return { userEnteredValue: { numberValue: value } };
  return money(value) ?? percentage(value) ?? textCell(value);
}

function textCell(text: string): JsonObject | undefined {
  if (text.length > 1 && text.startsWith("=")) return { userEnteredValue: { formulaValue: text } };
  // A leading apostrophe forces text in typed input; it is not part of the text.
  const plain = text.startsWith("'") ? text.slice(1) : text;
  return plain === "" ? undefined : { userEnteredValue: { stringValue: plain } };
}

function money(text: string): JsonObject | undefined {
  const [, amount, decimals] = MONEY.exec(text) ?? [];
  return numberCell(amount, 1, "CURRENCY", decimals === undefined ? "$#,##0" : "$#,##0.00");
}

function percentage(text: string): JsonObject | undefined {
  const [, amount] = PERCENTAGE.exec(text) ?? [];
  return numberCell(amount, 100, "PERCENT", "0.00%");
}

function numberCell(
  amount: string | undefined,
  divisor: number,
  type: string,
  pattern: string,
): JsonObject | undefined {
  if (amount === undefined) return undefined;
  const numberValue = Number(amount.replaceAll(",", "")) / divisor;
  if (!Number.isFinite(numberValue)) return undefined;
  return { userEnteredValue: { numberValue }, userEnteredFormat: { numberFormat: { type, pattern } } };
}
