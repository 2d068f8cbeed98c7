// Sheets.AddNoteToCell: sets the note of one cell without changing its value and format.
import { Type } from "typebox";
import { defineTool, type JsonObject } from "../../../src/tools";
import { chooseSheet, type SheetChoice } from "../book/choose";
import { isInGrid, outsideGrid, requireGrid } from "../book/grid";
import { readBook } from "../book/metadata";
import {
  CELL_PARAMETERS,
  requireColumn,
  SHEET_PARAMETERS,
  SHEET_RESULT,
  SPREADSHEET_ID,
} from "../book/parameters";
import { sheetLink, spreadsheetIdOf } from "../book/spreadsheet-id";
import { writeToRead } from "../book/write";
import { cellName } from "../cells/a1";
import { SheetsClient } from "../client";
import { fileGrant, OVERWRITES } from "../metadata";
import { batchUpdate } from "../upstream/calls";

interface Note {
  row: number;
  column: number;
  text: string;
}

export const addNoteToCell = defineTool({
  name: "AddNoteToCell",
  description:
    "Adds a note to one cell. It replaces an existing note; an empty text removes it. The cell's value and format do " +
    "not change.",
  input: Type.Object({
    spreadsheet_id: SPREADSHEET_ID,
    ...CELL_PARAMETERS,
    note_text: Type.String({ description: "Text of the note; empty removes the note." }),
    ...SHEET_PARAMETERS,
  }),
  output: Type.Object({
    status: Type.Literal("success"),
    ...SHEET_RESULT,
    cell: Type.String({ description: "The cell, for example C7" }),
  }),
  authorization: fileGrant(),
  metadata: OVERWRITES,
  judge(input) {
    spreadsheetIdOf(input.spreadsheet_id);
    requireColumn(input.column);
  },
  async run(input, context) {
    const spreadsheetId = spreadsheetIdOf(input.spreadsheet_id);
    const note = { row: input.row, column: requireColumn(input.column), text: input.note_text };
    const client = new SheetsClient(context);
    return client.alone(spreadsheetId, () => addNote(client, spreadsheetId, input, note));
  },
});

async function addNote(client: SheetsClient, spreadsheetId: string, choice: SheetChoice, note: Note) {
  const book = await readBook(client, spreadsheetId);
  const sheet = chooseSheet(book, choice);
  requireGrid(book, sheet);
  if (!isInGrid(sheet, note.row, note.column)) throw outsideGrid(book, sheet, note.row, note.column);
  await writeToRead(client, batchUpdate(spreadsheetId, [noteRequest(sheet.sheetId, note)], { once: false }));
  return {
    status: "success" as const,
    spreadsheetId: book.spreadsheetId,
    sheetId: sheet.sheetId,
    sheetTitle: sheet.title,
    sheetUrl: sheetLink(book.spreadsheetId, sheet.sheetId),
    cell: cellName(note.row, note.column),
  };
}

/** Indexes count from 0. The field mask protects the rest of the cell. */
function noteRequest(sheetId: number, { row, column, text }: Note): JsonObject {
  return {
    updateCells: {
      start: { sheetId, rowIndex: row - 1, columnIndex: column - 1 },
      rows: [{ values: [{ note: text }] }],
      fields: "note",
    },
  };
}
