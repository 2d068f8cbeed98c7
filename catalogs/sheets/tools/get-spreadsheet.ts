// Sheets.GetSpreadsheet: the cells in a window of one sheet, with the entered and the displayed value.
import { Type } from "typebox";
import { badInput, defineTool, endedBecause } from "../../../src/tools";
import { chooseSheet } from "../book/choose";
import { requireReadable } from "../book/grid";
import { readBook, type Sheet } from "../book/metadata";
import { BOOK_RESULT, notAColumn, SHEET_PARAMETERS, SPREADSHEET_ID } from "../book/parameters";
import { spreadsheetIdOf } from "../book/spreadsheet-id";
import { type Area, rangeName } from "../cells/a1";
import { columnOf } from "../cells/column";
import { readCells } from "../cells/read";
import { SheetsClient } from "../client";
import { MAX_RESULT_BYTES, WINDOW_COLUMNS, WINDOW_ROWS } from "../limits";
import { fileGrant, READS } from "../metadata";
import { getCells } from "../upstream/calls";
import { numberIn, objectIn, objectsIn } from "../../upstream/json";

const ReadCell = Type.Object({
  userEnteredValue: Type.Union([Type.String(), Type.Number(), Type.Boolean()], {
    description:
      "The entered value: a formula as text, a date or time as a serial number. Text that `data` would read otherwise, such " +
      "as =1+1 or 2026-03-01, starts with an apostrophe, so it can be written back unchanged. Smart chips (people, files, " +
      "places and the like) are read as text; writing such a cell replaces its chips by text",
  }),
  formattedValue: Type.String({ description: "The displayed value" }),
  note: Type.Optional(Type.String({ description: "The note of the cell" })),
});

export const getSpreadsheet = defineTool({
  name: "GetSpreadsheet",
  description:
    "Reads the cells of one sheet, at most 1000 rows and 100 columns at once. Returns the entered and the displayed " +
    "value and the note of each cell that is not empty, with the row numbers and column letters of the sheet.",
  input: Type.Object({
    spreadsheet_id: SPREADSHEET_ID,
    ...SHEET_PARAMETERS,
    start_row: Type.Optional(
      Type.Integer({
        default: 1,
        minimum: 1,
        description: "First row to read; the first of the sheet is 1.",
      }),
    ),
    start_col: Type.Optional(
      Type.String({
        default: "A",
        description: "First column to read: its letters, or its number (from 1) as text.",
      }),
    ),
    max_rows: Type.Optional(
      Type.Integer({
        default: WINDOW_ROWS,
        minimum: 1,
        maximum: WINDOW_ROWS,
        description: "Maximum number of rows to read.",
      }),
    ),
    max_cols: Type.Optional(
      Type.Integer({
        default: WINDOW_COLUMNS,
        minimum: 1,
        maximum: WINDOW_COLUMNS,
        description: "Maximum number of columns to read.",
      }),
    ),
  }),
  output: Type.Object({
    ...BOOK_RESULT,
    sheets: Type.Array(
      Type.Object({
        sheetId: Type.Integer(),
        title: Type.String(),
        rowCount: Type.Integer({ description: "Rows of the whole sheet" }),
        columnCount: Type.Integer({ description: "Columns of the whole sheet" }),
        data: Type.Record(Type.String(), Type.Record(Type.String(), ReadCell), {
          description: "Row number → column letters → cell",
        }),
      }),
      { minItems: 1, maxItems: 1, description: "The one sheet that was read" },
    ),
  }),
  authorization: fileGrant(),
  metadata: READS,
  judge(input) {
    spreadsheetIdOf(input.spreadsheet_id);
    startColumn(input.start_col);
  },
  async run(input, context) {
    const spreadsheetId = spreadsheetIdOf(input.spreadsheet_id);
    const column = startColumn(input.start_col);
    const client = new SheetsClient(context);
    const book = await readBook(client, spreadsheetId);
    const sheet = chooseSheet(book, input);
    requireReadable(book, sheet);
    const window = windowOf(sheet, {
      row: input.start_row ?? 1,
      column,
      rows: input.max_rows ?? WINDOW_ROWS,
      columns: input.max_cols ?? WINDOW_COLUMNS,
    });
    // The platform refuses a start outside the grid, although the result is simply empty.
    const data = window === undefined ? {} : await read(client, spreadsheetId, sheet, window);
    const { sheetId, title, rowCount, columnCount } = sheet;
    return {
      title: book.title,
      spreadsheetId: book.spreadsheetId,
      spreadsheetUrl: book.spreadsheetUrl,
      sheets: [{ sheetId, title, rowCount, columnCount, data }],
    };
  },
});

function startColumn(text = "A"): number {
  const column = columnOf(text);
  if (column !== undefined) return column;
  throw notAColumn("start_col", text);
}

interface Start {
  row: number;
  column: number;
  rows: number;
  columns: number;
}

/** The part of the window that is inside the grid; undefined if there is none. */
function windowOf({ rowCount, columnCount }: Sheet, request: Start): Area | undefined {
  if (request.row > rowCount || request.column > columnCount) return undefined;
  return {
    firstRow: request.row,
    lastRow: Math.min(request.row + request.rows - 1, rowCount),
    firstColumn: request.column,
    lastColumn: Math.min(request.column + request.columns - 1, columnCount),
  };
}

async function read(client: SheetsClient, spreadsheetId: string, sheet: Sheet, window: Area) {
  try {
    const answer = await client.call(getCells(spreadsheetId, rangeName(sheet.title, window)));
    const sheets = objectsIn(answer, "sheets");
    const one = sheets.find((each) => numberIn(objectIn(each, "properties"), "sheetId") === sheet.sheetId);
    const [grid = {}] = objectsIn(one ?? {}, "data");
    const { data, maxBytes } = readCells(grid);
    // Most results are far below the limit, so they are not measured.
    const isTooLarge =
      maxBytes > MAX_RESULT_BYTES && Buffer.byteLength(JSON.stringify(data)) > MAX_RESULT_BYTES;
    if (isTooLarge) throw tooLarge();
    return data;
  } catch (error) {
    throw endedBecause(error, "too_large") ? tooLarge() : error;
  }
}

function tooLarge() {
  return badInput(
    `The cells of this window have more than ${MAX_RESULT_BYTES / 1_000_000} MB. ` +
      "Read a smaller window: lower `max_rows` or `max_cols`, and read the rest with `start_row` and `start_col`.",
  );
}
