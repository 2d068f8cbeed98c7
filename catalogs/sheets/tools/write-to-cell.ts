// Sheets.WriteToCell: writes one value as if it were typed. One call; a second one to explain a failure, or to
// tell a number, a date or a formula from text.
import { type Static, Type } from "typebox";
import { badInput, defineTool, ToolError } from "../../../src/tools";
import { noSuchSheet, sheetTitled } from "../book/choose";
import { isInGrid, outsideGrid, requireGrid } from "../book/grid";
import { readBook } from "../book/metadata";
import { CELL_PARAMETERS, FIRST_SHEET, requireColumn, SPREADSHEET_ID } from "../book/parameters";
import { readBack } from "../book/read-back";
import { spreadsheetIdOf } from "../book/spreadsheet-id";
import { viewedOnly } from "../book/write";
import { cellName, rangeName, splitRange } from "../cells/a1";
import { isTooLong } from "../cells/data";
import { type CellValue, EXTERNAL_RULE, markedText } from "../cells/entry";
import { columnLetters } from "../cells/column";
import { isCertainlyText, typedValue } from "../cells/keyboard";
import { SheetsClient } from "../client";
import { MAX_TEXT } from "../limits";
import { fileGrant, OVERWRITES } from "../metadata";
import { updateValue } from "../upstream/calls";
import { problemOf } from "../upstream/failure";
import type { Problem } from "../upstream/refusal";
import { nonEmptyTextIn, objectIn } from "../../upstream/json";

const Written = Type.Object({
  spreadsheetId: Type.String({ description: "Id of the spreadsheet" }),
  sheetTitle: Type.String({ description: "Name of the sheet" }),
  updatedCell: Type.String({ description: "The cell, for example C7" }),
  value: Type.Union([Type.String(), Type.Number(), Type.Boolean()], {
    description: "The displayed value after the write; empty text for an empty cell",
  }),
  userEnteredValue: Type.Optional(
    Type.Union([Type.String(), Type.Number(), Type.Boolean()], {
      description:
        "What the platform made of the value, in the form in which GetSpreadsheet returns it: a number or a boolean as such, a " +
        "date as a serial number, a formula as text",
    }),
  ),
});

export const writeToCell = defineTool({
  name: "WriteToCell",
  description:
    "Writes a value to one cell, as if a person had typed it: `=…` and `+…` are formulas, with `;` between arguments; numbers, " +
    "dates, `$5`, `10%` and TRUE are parsed as such, by the locale of the file except for plain decimals with a point (`1.5`); " +
    `a leading apostrophe forces text. An empty value clears the cell. ${EXTERNAL_RULE}`,
  input: Type.Object({
    spreadsheet_id: SPREADSHEET_ID,
    ...CELL_PARAMETERS,
    value: Type.String({ description: `The value, at most ${MAX_TEXT} characters.` }),
    sheet_name: Type.Optional(Type.String({ default: FIRST_SHEET, description: "Name of the sheet." })),
  }),
  output: Written,
  authorization: fileGrant(),
  metadata: OVERWRITES,
  judge(input) {
    spreadsheetIdOf(input.spreadsheet_id);
    requireColumn(input.column);
    if (isTooLong(input.value)) {
      throw badInput(
        `\`value\` must have at most ${MAX_TEXT} characters, the maximum of one cell. Shorten it and call again.`,
      );
    }
  },
  async run(input, context) {
    const spreadsheetId = spreadsheetIdOf(input.spreadsheet_id);
    const column = requireColumn(input.column);
    const named = input.sheet_name ?? "";
    const title = named.trim() === "" ? FIRST_SHEET : named;
    const client = new SheetsClient(context);
    const target = { spreadsheetId, title, row: input.row, column };
    return client.alone(spreadsheetId, () => write(client, target, input.value));
  },
});

interface Target {
  spreadsheetId: string;
  title: string;
  row: number;
  column: number;
}

async function write(client: SheetsClient, target: Target, value: string): Promise<Static<typeof Written>> {
  const { spreadsheetId, title, row, column } = target;
  const area = { firstRow: row, lastRow: row, firstColumn: column, lastColumn: column };
  try {
    const answer = await client.call(updateValue(spreadsheetId, rangeName(title, area), typedValue(value)));
    const written = splitRange(nonEmptyTextIn(answer, "updatedRange") ?? "");
    const shown = shownIn(objectIn(answer, "updatedData")["values"]);
    const entered = await enteredValue(client, target, value, shown);
    return {
      spreadsheetId: nonEmptyTextIn(answer, "spreadsheetId") ?? spreadsheetId,
      sheetTitle: written.title ?? title,
      updatedCell: written.cells === "" ? cellName(row, column) : written.cells,
      value: shown,
      ...(entered === undefined ? {} : { userEnteredValue: entered }),
    };
  } catch (error) {
    const problem = problemOf(error);
    if (problem === "permission" && (await isReadable(client, target))) throw viewedOnly(client, error);
    if (mayBeTarget(error, problem)) await explain(client, target);
    throw error;
  }
}

/** What the platform made of the value. Read only where the display does not tell: `50` may be a number or text. */
async function enteredValue(
  client: SheetsClient,
  { spreadsheetId, title, row, column }: Target,
  value: string,
  shown: unknown,
): Promise<CellValue | undefined> {
  if (value === "") return "";
  if (isCertainlyText(value, shown)) return markedText(value);
  const area = { firstRow: row, lastRow: row, firstColumn: column, lastColumn: column };
  const cells = await readBack(client, spreadsheetId, title, area);
  return cells === undefined ? undefined : (cells[row]?.[columnLetters(column)]?.userEnteredValue ?? "");
}

/** Whether a missing sheet, its kind or its size may be the reason. The platform has no fixed text for every kind of sheet. */
function mayBeTarget(error: unknown, problem: Problem | undefined): boolean {
  if (problem !== undefined) return problem === "unknown_range" || problem === "outside_grid";
  return error instanceof ToolError && error.details.statusCode === 400;
}

/** Whether this grant can read the spreadsheet. */
async function isReadable(client: SheetsClient, { spreadsheetId }: Target): Promise<boolean> {
  try {
    await readBook(client, spreadsheetId);
    return true;
  } catch {
    return false;
  }
}

/** Throws if the target is the reason for the failure: a missing sheet, or a cell outside the grid. */
async function explain(client: SheetsClient, { spreadsheetId, title, row, column }: Target): Promise<void> {
  const book = await readBook(client, spreadsheetId);
  const sheet = sheetTitled(book, title);
  // The platform tells `budget` from `Budget`.
  if (sheet?.title !== title) {
    throw noSuchSheet(book, "sheet_name", title, `with the name ${JSON.stringify(title)}`);
  }
  requireGrid(book, sheet);
  if (!isInGrid(sheet, row, column)) throw outsideGrid(book, sheet, row, column);
}

/** The only value of a range; absent for an empty cell. */
function shownIn(values: unknown): string | number | boolean {
  const [row]: unknown[] = Array.isArray(values) ? values : [];
  const [value]: unknown[] = Array.isArray(row) ? row : [];
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : "";
}
