// Schemas of parameters and results that several tools share.
import { Type } from "typebox";
import { badInput, type ToolError } from "../../../src/tools";
import { columnLetters, columnNumber } from "../cells/column";
import { MAX_COLUMN } from "../limits";
import { LINK_BASE } from "../platform";

/** Title of the only sheet of a spreadsheet that these tools create. */
export const FIRST_SHEET = "Sheet1";

export const SPREADSHEET_ID = Type.String({
  description: `The spreadsheet's id or its address, ${LINK_BASE}/d/{id}/edit: \`id\` in the answer of Sheets.SearchSpreadsheets.`,
});

/** Selects a sheet of a spreadsheet. */
export const SHEET_PARAMETERS = {
  sheet_position: Type.Optional(
    Type.Integer({
      default: 1,
      minimum: 1,
      description: "Position of the sheet among all sheets, including hidden ones; 1 is the leftmost.",
    }),
  ),
  sheet_id_or_name: Type.Optional(
    Type.String({
      description: "Name of the sheet, or its id. Takes precedence over `sheet_position`.",
    }),
  ),
};

/** Selects a cell of a sheet. */
export const CELL_PARAMETERS = {
  column: Type.String({ description: "Letters of the column, such as A, F or AZ.", examples: ["B"] }),
  row: Type.Integer({ minimum: 1, description: "Number of the row, as shown in the sheet; the first is 1." }),
};

/** In results: the spreadsheet. */
export const BOOK_RESULT = {
  title: Type.String({ description: "Title of the spreadsheet" }),
  spreadsheetId: Type.String({ description: "Its id" }),
  spreadsheetUrl: Type.String({ description: "Its address" }),
};

/** In results: the sheet that was changed. */
export const SHEET_RESULT = {
  spreadsheetId: Type.String({ description: "Id of the spreadsheet" }),
  sheetId: Type.Integer({ description: "Id of the sheet" }),
  sheetTitle: Type.String({ description: "Name of the sheet" }),
  sheetUrl: Type.String({ description: "Address of the sheet" }),
};

/** The error for a text that is not the letters of a column. */
export function notAColumn(parameter: string, text: string): ToolError {
  const number = Number(text.replaceAll(/\D/g, ""));
  const letters = text.replaceAll(/[^A-Za-z]/g, "");
  const meant = columnNumber(letters) ?? (number >= 1 && number <= MAX_COLUMN ? number : undefined);
  const nearest = meant === undefined ? "" : ` (nearest: ${columnLetters(meant)})`;
  const range = `from A to ${columnLetters(MAX_COLUMN)}`;
  return badInput(`\`${parameter}\` must be the letters of a column, ${range}${nearest}.`, {
    additionalPromptContent: `Call again with the letters, such as B for the second column.`,
  });
}

/** The number of a column from the `column` parameter. Throws `ToolError`. */
export function requireColumn(letters: string): number {
  const column = columnNumber(letters);
  if (column !== undefined) return column;
  throw notAColumn("column", letters);
}
