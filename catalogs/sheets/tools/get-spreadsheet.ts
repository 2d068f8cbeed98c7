// Sheets.GetSpreadsheet: the cells of one window of one sheet, what was entered and what is shown.
import { Type } from "typebox";
import { badInput, defineTool, endedBecause } from "../../../src/tools";
import { chooseSheet } from "../book/choose";
import { readBook, type Sheet } from "../book/metadata";
import { BOOK_RESULT, SHEET_PARAMETERS, SPREADSHEET_ID } from "../book/parameters";
import { spreadsheetIdOf } from "../book/spreadsheet-id";
import { type Area, rangeName } from "../cells/a1";
import { columnOf } from "../cells/column";
import { readCells } from "../cells/read";
import { SheetsClient } from "../client";
import { MAX_COLUMN, MAX_RESULT_BYTES, WINDOW_COLUMNS, WINDOW_ROWS } from "../limits";
import { fileGrant, READS } from "../metadata";
import { getCells } from "../upstream/calls";
import { numberIn, objectIn, objectsIn } from "../../upstream/json";

const ReadCell = Type.Object({
  userEnteredValue: Type.Union([Type.String(), Type.Number(), Type.Boolean()], {
    description: "What was entered: a formula as its text, a date or time as its serial number",
  }),
  formattedValue: Type.String({ description: "What is shown" }),
});

export const getSpreadsheet = defineTool({
  name: "GetSpreadsheet",
  description:
    "Reads the cells of one sheet, at most 1000 rows and 100 columns at once: for each cell that is not empty, what was " +
    "entered and what is shown. Row numbers and column letters are those that the sheet itself shows.",
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
        description: "First column to read: its letters, or its number from 1 as text.",
      }),
    ),
    max_rows: Type.Optional(
      Type.Integer({
        default: WINDOW_ROWS,
        minimum: 1,
        maximum: WINDOW_ROWS,
        description: "Most rows to read.",
      }),
    ),
    max_cols: Type.Optional(
      Type.Integer({
        default: WINDOW_COLUMNS,
        minimum: 1,
        maximum: WINDOW_COLUMNS,
        description: "Most columns to read.",
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
  async run(input, context) {
    const spreadsheetId = spreadsheetIdOf(input.spreadsheet_id);
    const column = startColumn(input.start_col ?? "A");
    const client = new SheetsClient(context);
    const book = await readBook(client, spreadsheetId);
    const sheet = chooseSheet(book, input);
    const window = windowOf(sheet, {
      row: input.start_row ?? 1,
      column,
      rows: input.max_rows ?? WINDOW_ROWS,
      columns: input.max_cols ?? WINDOW_COLUMNS,
    });
    // A start outside the grid is refused by the platform, though there is simply nothing to see.
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

function startColumn(text: string): number {
  const column = columnOf(text);
  if (column !== undefined) return column;
  throw badInput(`\`start_col\` must be the letters of a column or its number, 1 to ${MAX_COLUMN}.`);
}

interface Asked {
  row: number;
  column: number;
  rows: number;
  columns: number;
}

/** What of the window lies in the grid; undefined when nothing does. */
function windowOf({ rowCount, columnCount }: Sheet, asked: Asked): Area | undefined {
  if (asked.row > rowCount || asked.column > columnCount) return undefined;
  return {
    firstRow: asked.row,
    lastRow: Math.min(asked.row + asked.rows - 1, rowCount),
    firstColumn: asked.column,
    lastColumn: Math.min(asked.column + asked.columns - 1, columnCount),
  };
}

async function read(client: SheetsClient, spreadsheetId: string, sheet: Sheet, window: Area) {
  try {
    const answer = await client.call(getCells(spreadsheetId, rangeName(sheet.title, window)));
    const sheets = objectsIn(answer, "sheets");
    const one = sheets.find((each) => numberIn(objectIn(each, "properties"), "sheetId") === sheet.sheetId);
    const [grid = {}] = objectsIn(one ?? {}, "data");
    const { data, mostBytes } = readCells(grid);
    // Hardly any result comes near the limit, so hardly any is measured.
    const isTooLarge =
      mostBytes > MAX_RESULT_BYTES && Buffer.byteLength(JSON.stringify(data)) > MAX_RESULT_BYTES;
    if (isTooLarge) throw tooLarge();
    return data;
  } catch (error) {
    throw endedBecause(error, "too_large") ? tooLarge() : error;
  }
}

function tooLarge() {
  return badInput(
    `The cells of this window come to more than ${MAX_RESULT_BYTES / 1_000_000} MB. ` +
      "Ask for a smaller one: lower `max_rows` or `max_cols`, and read the rest with `start_row` and `start_col`.",
  );
}
