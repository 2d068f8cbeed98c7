// The grid of a sheet: its bounds and how it is enlarged.
import { badInput, type JsonObject, retryableInput, type ToolError } from "../../../src/tools";
import { cellName } from "../cells/a1";
import { columnLetters } from "../cells/column";
import { MAX_CELLS, NEW_COLUMNS, NEW_ROWS } from "../limits";
import { sheetList } from "./choose";
import type { Book, Sheet } from "./metadata";

/** The grid of a new sheet: the default size, or larger for the cells, within the platform's limit. */
export function newGrid({ lastRow, lastColumn }: { lastRow: number; lastColumn: number }) {
  const room = Math.floor(MAX_CELLS / Math.max(1, lastRow));
  const columnCount = Math.max(lastColumn, Math.min(NEW_COLUMNS, room));
  const rowCount = Math.max(lastRow, Math.min(NEW_ROWS, Math.floor(MAX_CELLS / columnCount)));
  return { rowCount, columnCount };
}

export function isInGrid({ rowCount, columnCount }: Sheet, row: number, column: number): boolean {
  return row <= rowCount && column <= columnCount;
}

/** Throws `ToolError` for a sheet without cells of its own: a chart, or a view of a data source. */
export function requireGrid(book: Book, sheet: Sheet): void {
  if (sheet.rowCount > 0 && sheet.columnCount > 0) return;
  const list = sheetList(book.sheets);
  const why =
    sheet.sheetType === CONNECTED
      ? "is connected to a data source, so its cells can be neither read nor written here (type DATA_SOURCE). An extract " +
        "of it on an ordinary sheet can be read"
      : `has no cells (type ${sheet.sheetType})`;
  throw retryableInput(`The sheet ${JSON.stringify(sheet.title)} ${why}. Choose another sheet. ${list}`, {
    additionalPromptContent: list,
  });
}

/** Throws `ToolError` for a view of a data source. A chart is read as an empty sheet. */
export function requireReadable(book: Book, sheet: Sheet): void {
  if (sheet.sheetType === CONNECTED) requireGrid(book, sheet);
}

/** The kind of a sheet that shows a data source. */
const CONNECTED = "DATA_SOURCE";

export function outsideGrid(book: Book, sheet: Sheet, row: number, column: number): ToolError {
  const { title, rowCount, columnCount } = sheet;
  const hint =
    "Call again with a cell inside, or use Sheets.UpdateCells, which enlarges a sheet when it writes outside it. " +
    sheetList(book.sheets);
  const rules = [
    ...(row > rowCount ? [`\`row\` must be <= ${rowCount}`] : []),
    ...(column > columnCount ? [`\`column\` must be from A to ${columnLetters(columnCount)}`] : []),
  ];
  return retryableInput(
    `${cellName(row, column)} is outside the sheet ${JSON.stringify(title)}, ` +
      `which has ${rowCount} rows and ${columnCount} columns: ${rules.join(", and ")}.`,
    { additionalPromptContent: hint },
  );
}

/**
 * The requests that enlarge a sheet; none if it is large enough. Throws `ToolError` if the spreadsheet would then have
 * more cells than the platform allows.
 */
export function growth(book: Book, sheet: Sheet, lastRow: number, lastColumn: number): JsonObject[] {
  const rows = Math.max(0, lastRow - sheet.rowCount);
  const columns = Math.max(0, lastColumn - sheet.columnCount);
  if (rows === 0 && columns === 0) return [];
  const others = book.sheets
    .filter(({ sheetId }) => sheetId !== sheet.sheetId)
    .reduce((sum, { rowCount, columnCount }) => sum + rowCount * columnCount, 0);
  const cells = others + (sheet.rowCount + rows) * (sheet.columnCount + columns);
  if (cells > MAX_CELLS) {
    throw badInput(
      `${cellName(lastRow, lastColumn)} is outside the sheet ${JSON.stringify(sheet.title)} ` +
        `(${sheet.rowCount} rows, ${sheet.columnCount} columns). Enlarging the sheet would give the spreadsheet ` +
        `${cells} cells; the platform allows ${MAX_CELLS}.`,
    );
  }
  const append = (dimension: string, length: number): JsonObject[] =>
    length === 0 ? [] : [{ appendDimension: { sheetId: sheet.sheetId, dimension, length } }];
  return [...append("ROWS", rows), ...append("COLUMNS", columns)];
}
