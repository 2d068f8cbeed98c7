// Sheets.CreateSpreadsheet: creates a spreadsheet in the user's drive and fills its first sheet.
import { Type } from "typebox";
import { defineTool, type JsonObject, outcomeUnknown, upstreamFailed } from "../../../src/tools";
import { newGrid } from "../book/grid";
import { BOOK_RESULT, FIRST_SHEET } from "../book/parameters";
import { type Data, DATA_EXAMPLE, DATA_FORMAT, parseData } from "../cells/data";
import { VALUE_RULE } from "../cells/entry";
import { gridData } from "../cells/typed";
import { SheetsClient } from "../client";
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
  output: Type.Object(BOOK_RESULT),
  authorization: fileGrant(),
  metadata: CREATES,
  documents: ["data"],
  async run(input, context) {
    const title = input.title === undefined || input.title.trim() === "" ? UNTITLED : input.title;
    const data = parseData(input.data);
    const answer = await new SheetsClient(context).call(
      createCall({ properties: { title }, sheets: [firstSheet(data)] }),
    );
    const spreadsheetId = nonEmptyTextIn(answer, "spreadsheetId");
    if (spreadsheetId === undefined) {
      throw outcomeUnknown(upstreamFailed("The platform did not return the id of the new spreadsheet."));
    }
    return {
      title: nonEmptyTextIn(objectIn(answer, "properties"), "title") ?? title,
      spreadsheetId,
      spreadsheetUrl: nonEmptyTextIn(answer, "spreadsheetUrl") ?? spreadsheetLink(spreadsheetId),
    };
  },
});

/** With an explicit title: the platform's default depends on the user's language, and other tools rely on this one. */
function firstSheet(data: Data): JsonObject {
  const blocks = gridData(data);
  return {
    properties: { title: FIRST_SHEET, gridProperties: newGrid(data) },
    ...(blocks.length === 0 ? {} : { data: blocks }),
  };
}
