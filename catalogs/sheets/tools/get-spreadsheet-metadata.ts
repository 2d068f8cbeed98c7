// Sheets.GetSpreadsheetMetadata: the sheets of a spreadsheet, without their cells.
import { Type } from "typebox";
import { defineTool } from "../../../src/tools";
import { readBook } from "../book/metadata";
import { BOOK_RESULT, SPREADSHEET_ID } from "../book/parameters";
import { sheetLink, spreadsheetIdOf } from "../book/spreadsheet-id";
import { SheetsClient } from "../client";
import { fileGrant, READS } from "../metadata";

export const getSpreadsheetMetadata = defineTool({
  name: "GetSpreadsheetMetadata",
  description:
    "Returns the title of a spreadsheet and its sheets, including hidden ones: their names, ids, positions and sizes.",
  input: Type.Object({ spreadsheet_id: SPREADSHEET_ID }),
  output: Type.Object({
    ...BOOK_RESULT,
    sheets: Type.Array(
      Type.Object({
        sheetId: Type.Integer(),
        title: Type.String(),
        position: Type.Integer({ description: "1 is the leftmost" }),
        rowCount: Type.Integer({ description: "0 for a sheet without cells of its own" }),
        columnCount: Type.Integer({ description: "0 for a sheet without cells of its own" }),
        sheetType: Type.String({
          description: "GRID for a sheet of cells; only these can be read and written",
        }),
        hidden: Type.Boolean(),
        sheetUrl: Type.String(),
      }),
      { description: "The sheets in tab order" },
    ),
  }),
  authorization: fileGrant(),
  metadata: READS,
  judge: (input) => void spreadsheetIdOf(input.spreadsheet_id),
  async run(input, context) {
    const book = await readBook(new SheetsClient(context), spreadsheetIdOf(input.spreadsheet_id));
    const { title, spreadsheetId, spreadsheetUrl, sheets } = book;
    return {
      title,
      spreadsheetId,
      spreadsheetUrl,
      sheets: sheets.map((sheet) => ({ ...sheet, sheetUrl: sheetLink(spreadsheetId, sheet.sheetId) })),
    };
  },
});
