// Parses a range into cells of a sheet within its grid.
import { type A1Range, formatA1, parseA1, unparsable } from "../a1";
import { DATA_SOURCE_RANGE } from "../behaviour/refusals";
import { invalidArgument, refusedBy } from "../platform-error";
import type { Sheet } from "./sheet";
import type { Workbook } from "./workbook";

/** Rows and columns count from 0, ends excluded. */
export interface Area {
  readonly sheet: Sheet;
  readonly startRow: number;
  readonly endRow: number;
  readonly startColumn: number;
  readonly endColumn: number;
}

/**
 * The cells of a range, limited to the grid. Throws 400 for an unknown sheet, and for a range that starts outside the
 * grid.
 */
export function areaOf(workbook: Workbook, text: string): Area {
  const range = parseA1(text);
  const sheet = sheetOf(workbook, range);
  if (sheet === undefined || sheet.type === "OBJECT") throw unparsable(text);
  if (sheet.type === "DATA_SOURCE") throw refusedBy(DATA_SOURCE_RANGE);
  if (range.startRow >= sheet.rowCount || range.startColumn >= sheet.columnCount) {
    throw outside(text, sheet);
  }
  return {
    sheet,
    startRow: range.startRow,
    endRow: Math.min(range.endRow, sheet.rowCount),
    startColumn: range.startColumn,
    endColumn: Math.min(range.endColumn, sheet.columnCount),
  };
}

/** The same for writing: no part may be outside. */
export function writableAreaOf(workbook: Workbook, text: string): Area {
  const area = areaOf(workbook, text);
  const { endRow, endColumn } = parseA1(text);
  const isCut =
    (endRow !== Infinity && endRow > area.endRow) || (endColumn !== Infinity && endColumn > area.endColumn);
  if (isCut) throw outside(text, area.sheet);
  return area;
}

export function nameOf(area: Area): string {
  return formatA1(area.sheet.title, area);
}

function sheetOf(workbook: Workbook, { title }: A1Range): Sheet | undefined {
  return title === undefined ? workbook.firstVisible() : workbook.sheetTitled(title);
}

function outside(text: string, { rowCount, columnCount }: Sheet): Error {
  return invalidArgument(
    `Range (${text}) exceeds grid limits. Max rows: ${rowCount}, max columns: ${columnCount}`,
  );
}
