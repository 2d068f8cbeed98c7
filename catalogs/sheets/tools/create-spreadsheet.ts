// Sheets.CreateSpreadsheet: creates a spreadsheet in the user's drive and fills its first sheet.
import { Type } from "typebox";
import { defineTool, type JsonObject, nextTurn, outcomeUnknown, upstreamFailed } from "../../../src/tools";
import { newGrid } from "../book/grid";
import { readBack } from "../book/read-back";
import { BOOK_RESULT, FIRST_SHEET } from "../book/parameters";
import { checkData, type Data, DATA_EXAMPLE, DATA_FORMAT, parseData } from "../cells/data";
import { type Entry, entryOf, VALUE_RULE } from "../cells/entry";
import { columnLetters } from "../cells/column";
import { gridData } from "../cells/typed";
import { SheetsClient } from "../client";
import { MAX_DISPLAYED, WINDOW_COLUMNS, WINDOW_ROWS } from "../limits";
import { CREATES, fileGrant } from "../metadata";
import { createSpreadsheet as createCall } from "../upstream/calls";
import { spreadsheetLink } from "../book/spreadsheet-id";
import { nonEmptyTextIn, objectIn } from "../../upstream/json";

const UNTITLED = "Untitled spreadsheet";

export const createSpreadsheet = defineTool({
  name: "CreateSpreadsheet",
  description: `Creates a spreadsheet with one sheet, \`Sheet1\`, and fills it with the given cells. ${VALUE_RULE}`,
  input: Type.Object({
    title: Type.Optional(Type.String({ description: `Title of the spreadsheet. Default: ${UNTITLED}.` })),
    data: Type.Optional(Type.String({ description: `The cells: ${DATA_FORMAT}`, examples: [DATA_EXAMPLE] })),
  }),
  output: Type.Object({
    ...BOOK_RESULT,
    displayedValues: Type.Optional(
      Type.Record(Type.String(), Type.Record(Type.String(), Type.String()), {
        description:
          "What formulas and dates show: row number → column letters → text. Other cells show what was given. Absent without " +
          `formulas and dates, and after more than ${MAX_DISPLAYED} cells; read them with GetSpreadsheet`,
      }),
    ),
  }),
  authorization: fileGrant(),
  metadata: CREATES,
  documents: ["data"],
  judge: ({ data }) => checkData(data),
  async run(input, context) {
    const title = input.title === undefined || input.title.trim() === "" ? UNTITLED : input.title;
    const data = await parseData(input.data);
    const client = new SheetsClient(context);
    const book = { properties: { title }, sheets: [firstSheet(data)] };
    // Many cells take long to convert, and then to write as JSON.
    await nextTurn();
    const answer = await client.call(createCall(book));
    const spreadsheetId = nonEmptyTextIn(answer, "spreadsheetId");
    if (spreadsheetId === undefined) {
      throw outcomeUnknown(upstreamFailed("The platform did not return the id of the new spreadsheet."));
    }
    const shown = await displayed(client, spreadsheetId, data);
    return {
      title: nonEmptyTextIn(objectIn(answer, "properties"), "title") ?? title,
      spreadsheetId,
      spreadsheetUrl: nonEmptyTextIn(answer, "spreadsheetUrl") ?? spreadsheetLink(spreadsheetId),
      ...(shown === undefined ? {} : { displayedValues: shown }),
    };
  },
});

const COMPUTED: readonly Entry["kind"][] = ["formula", "date", "date_time"];

/** A formula may show an error, and a date depends on the locale; all other cells show what was given. */
async function displayed(client: SheetsClient, spreadsheetId: string, { cells, lastRow, lastColumn }: Data) {
  if (cells.length > MAX_DISPLAYED) return undefined;
  const computed = cells.filter(({ value }) => COMPUTED.includes(entryOf(value).kind));
  const [first] = computed;
  if (first === undefined) return undefined;
  // Two cells may be far apart.
  if (lastRow * lastColumn > WINDOW_ROWS * WINDOW_COLUMNS) return undefined;
  const area = { firstRow: first.row, lastRow, firstColumn: 1, lastColumn };
  const read = await readBack(client, spreadsheetId, FIRST_SHEET, area);
  if (read === undefined) return undefined;
  const shown: Record<string, Record<string, string>> = {};
  for (const { row, column } of computed) {
    const letters = columnLetters(column);
    shown[row] = { ...shown[row], [letters]: read[row]?.[letters]?.formattedValue ?? "" };
  }
  return shown;
}

/** With an explicit title: the platform's default depends on the user's language, and other tools rely on this one. */
function firstSheet(data: Data): JsonObject {
  const blocks = gridData(data);
  return {
    properties: { title: FIRST_SHEET, gridProperties: newGrid(data) },
    ...(blocks.length === 0 ? {} : { data: blocks }),
  };
}
