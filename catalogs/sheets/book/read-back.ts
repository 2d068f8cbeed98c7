// Reads cells after a write, to tell what the platform made of them.
import { type Area, rangeName } from "../cells/a1";
import { readCells, type ReadData } from "../cells/read";
import type { SheetsClient } from "../client";
import { getCells } from "../upstream/calls";
import { objectsIn } from "../../upstream/json";

/** The cells of an area. Undefined if they cannot be read: the write was done all the same. */
export async function readBack(
  client: SheetsClient,
  spreadsheetId: string,
  title: string,
  area: Area,
): Promise<ReadData | undefined> {
  try {
    const answer = await client.call(getCells(spreadsheetId, rangeName(title, area)));
    const [sheet = {}] = objectsIn(answer, "sheets");
    const [grid = {}] = objectsIn(sheet, "data");
    return readCells(grid).data;
  } catch {
    client.context.log("warning", "The cells were written. What they show could not be read.");
    return undefined;
  }
}
