// Sheets.UpdateCells: writes many cells of one sheet in one call, anywhere in it; enlarges the sheet if necessary.
import { Type } from "typebox";
import { defineTool, type JsonObject, nextTurn } from "../../../src/tools";
import { chooseSheet, type SheetChoice } from "../book/choose";
import { growth, requireGrid } from "../book/grid";
import { readBook } from "../book/metadata";
import { SHEET_PARAMETERS, SHEET_RESULT, SPREADSHEET_ID } from "../book/parameters";
import { sheetLink, spreadsheetIdOf } from "../book/spreadsheet-id";
import { writeToRead } from "../book/write";
import { cellName, rangeName } from "../cells/a1";
import { blocksOf } from "../cells/blocks";
import {
  type Cell,
  checkData,
  type Data,
  DATA_EXAMPLE,
  DATA_FORMAT,
  parseData,
  refusal,
} from "../cells/data";
import { type CellValue, VALUE_RULE } from "../cells/entry";
import { keystrokesOf } from "../cells/keyboard";
import { SheetsClient } from "../client";
import { MAX_DISPLAYED, MAX_TEXT } from "../limits";
import { fileGrant, OVERWRITES } from "../metadata";
import { batchUpdate, updateValues } from "../upstream/calls";
import { nonEmptyTextIn, numberIn, objectIn, objectsIn } from "../../upstream/json";

export const updateCells = defineTool({
  name: "UpdateCells",
  description:
    "Writes the given cells of one sheet and returns what they then show. Other cells do not change. Empty text clears a " +
    `cell. A written cell loses its smart chips. ${VALUE_RULE} If a cell is outside the sheet, the sheet is enlarged.`,
  input: Type.Object({
    spreadsheet_id: SPREADSHEET_ID,
    data: Type.String({ description: `The cells, at least one: ${DATA_FORMAT}`, examples: [DATA_EXAMPLE] }),
    ...SHEET_PARAMETERS,
  }),
  output: Type.Object({
    ...SHEET_RESULT,
    updatedRanges: Type.Array(Type.String(), { description: "The ranges that were written" }),
    updatedRows: Type.Integer({ description: "Number of rows with at least one written cell" }),
    updatedColumns: Type.Integer({ description: "Number of columns with at least one written cell" }),
    updatedCells: Type.Integer({ description: "Number of written cells" }),
    displayedValues: Type.Optional(
      Type.Array(Type.Array(Type.Array(Type.String())), {
        description:
          "What the written cells show now: for each of `updatedRanges` its rows, for each row its cells. Absent after more " +
          `than ${MAX_DISPLAYED} cells; read them with GetSpreadsheet`,
      }),
    ),
  }),
  authorization: fileGrant(),
  metadata: OVERWRITES,
  documents: ["data"],
  async judge(input) {
    spreadsheetIdOf(input.spreadsheet_id);
    await checkData(input.data, { isRequired: true });
  },
  async run(input, context) {
    const spreadsheetId = spreadsheetIdOf(input.spreadsheet_id);
    const data = await parseData(input.data);
    const client = new SheetsClient(context);
    // From reading the grid to the last write: two runs that find it too small must not both enlarge it.
    return client.alone(spreadsheetId, () => update(client, spreadsheetId, input, data));
  },
});

async function update(client: SheetsClient, spreadsheetId: string, choice: SheetChoice, data: Data) {
  const book = await readBook(client, spreadsheetId);
  const sheet = chooseSheet(book, choice);
  requireGrid(book, sheet);
  const shown = data.cells.length <= MAX_DISPLAYED;
  const ranges = valueRanges(sheet.title, data);
  // Many cells take long to convert, and then to write as JSON.
  await nextTurn();
  const requests = growth(book, sheet, data.lastRow, data.lastColumn);
  if (requests.length > 0) {
    client.requireWrites(2, "spreadsheets.values.batchUpdate");
    await writeToRead(client, batchUpdate(spreadsheetId, requests, { once: true }));
  }
  const answer = await writeToRead(client, updateValues(spreadsheetId, ranges, { shown }));
  return {
    spreadsheetId: nonEmptyTextIn(answer, "spreadsheetId") ?? spreadsheetId,
    sheetId: sheet.sheetId,
    sheetTitle: sheet.title,
    sheetUrl: sheetLink(spreadsheetId, sheet.sheetId),
    updatedRanges: objectsIn(answer, "responses").flatMap(
      (response) => nonEmptyTextIn(response, "updatedRange") ?? [],
    ),
    updatedRows: numberIn(answer, "totalUpdatedRows"),
    updatedColumns: numberIn(answer, "totalUpdatedColumns"),
    updatedCells: numberIn(answer, "totalUpdatedCells"),
    ...(shown ? { displayedValues: objectsIn(answer, "responses").map(displayedIn) } : {}),
  };
}

/** The displayed values of a range, by rows. The platform leaves out empty cells at the end. */
function displayedIn(response: JsonObject): string[][] {
  const rows = objectIn(response, "updatedData")["values"];
  return (Array.isArray(rows) ? rows : []).map((row) =>
    (Array.isArray(row) ? row : []).map((cell) => (cell === null ? "" : String(cell))),
  );
}

/** One range per rectangle of given cells, so that other cells are not touched. */
function valueRanges(title: string, data: Data): JsonObject[] {
  return blocksOf(data.cells).map((block) => ({
    range: rangeName(title, block),
    majorDimension: "ROWS",
    values: block.rows.map((row) => row.map(keystrokesIn)),
  }));
}

function keystrokesIn({ row, column, value }: Cell): CellValue {
  const keystrokes = keystrokesOf(value);
  if (keystrokes !== undefined) return keystrokes;
  throw refusal(
    `cell ${cellName(row, column)} contains ${MAX_TEXT} characters, one too many for text that starts like a number or a ` +
      "formula. Shorten it by one",
  );
}
