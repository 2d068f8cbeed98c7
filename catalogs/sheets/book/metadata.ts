// The metadata of a spreadsheet: one small call in every run, since other users change titles and grids.
import type { JsonObject } from "../../../src/tools";
import type { SheetsClient } from "../client";
import { getMetadata } from "../upstream/calls";
import { spreadsheetLink } from "./spreadsheet-id";
import { nonEmptyTextIn, numberIn, objectIn, objectsIn } from "../../upstream/json";

/** The only kind of sheet that has cells of its own. */
export const CELLS = "GRID";

/** One sheet. `rowCount` and `columnCount` are 0 for a sheet without cells of its own, such as a chart. */
export interface Sheet {
  sheetId: number;
  title: string;
  /** From 1, from the left, hidden sheets included. */
  position: number;
  rowCount: number;
  columnCount: number;
  sheetType: string;
  hidden: boolean;
}

export interface Book {
  spreadsheetId: string;
  title: string;
  spreadsheetUrl: string;
  /** In the order of the tabs. */
  sheets: readonly Sheet[];
}

export async function readBook(client: SheetsClient, spreadsheetId: string): Promise<Book> {
  const answer = await client.call(getMetadata(spreadsheetId));
  const id = nonEmptyTextIn(answer, "spreadsheetId") ?? spreadsheetId;
  return {
    spreadsheetId: id,
    title: nonEmptyTextIn(objectIn(answer, "properties"), "title") ?? "",
    spreadsheetUrl: nonEmptyTextIn(answer, "spreadsheetUrl") ?? spreadsheetLink(id),
    sheets: objectsIn(answer, "sheets")
      .map((sheet) => objectIn(sheet, "properties"))
      .toSorted((left, right) => numberIn(left, "index") - numberIn(right, "index"))
      .map(sheetOf),
  };
}

function sheetOf(properties: JsonObject, place: number): Sheet {
  const sheetType = nonEmptyTextIn(properties, "sheetType") ?? CELLS;
  // Other kinds may have a size too, which can only be read: no range of them can be asked for.
  const grid = sheetType === CELLS ? objectIn(properties, "gridProperties") : {};
  return {
    sheetId: numberIn(properties, "sheetId"),
    title: nonEmptyTextIn(properties, "title") ?? "",
    position: place + 1,
    rowCount: numberIn(grid, "rowCount"),
    columnCount: numberIn(grid, "columnCount"),
    sheetType,
    hidden: properties["hidden"] === true,
  };
}
