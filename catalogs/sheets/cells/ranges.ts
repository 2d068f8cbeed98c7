// Cells as ranges of values, for the call that writes them as if a person had typed them.
import type { JsonObject } from "../../../src/tools";
import { rangeName } from "./a1";
import { blocksOf } from "./blocks";
import type { Data } from "./data";

/** One range per rectangle of given cells, so that nothing between them is touched. */
export function valueRanges(title: string, data: Data): JsonObject[] {
  return blocksOf(data.cells).map((block) => ({
    range: rangeName(title, block),
    majorDimension: "ROWS",
    values: block.rows.map((row) => row.map(({ value }) => value)),
  }));
}
