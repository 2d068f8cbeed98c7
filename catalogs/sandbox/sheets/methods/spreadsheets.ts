// The spreadsheet interface: creating and reading spreadsheets.
import { isRecord, record, records, text, type JsonRecord } from "../../chat/json";
import { checkBody, integerAt } from "../check-body";
import { wants } from "../field-mask";
import { SHEETS_SCOPES } from "../oauth/scopes";
import { invalidArgument } from "../platform-error";
import { SPREADSHEET } from "../shapes";
import { gridData, storedCell } from "../workbook/cell-data";
import { type Area, areaOf } from "../workbook/range";
import type { Sheet } from "../workbook/sheet";
import { newSheetId, type Workbook } from "../workbook/workbook";
import type { Method, MethodCall } from "./call";

const DEFAULT_ROWS = 1000;
const DEFAULT_COLUMNS = 26;

export const spreadsheetMethods: readonly Method[] = [
  {
    id: "spreadsheets.create",
    verb: "POST",
    path: /^\/v4\/spreadsheets$/,
    parameters: [],
    scopes: SHEETS_SCOPES.write,
    quota: "writes",
    shape: SPREADSHEET,
    run: create,
  },
  {
    id: "spreadsheets.get",
    verb: "GET",
    path: /^\/v4\/spreadsheets\/(?<spreadsheetId>[^/:]+)$/,
    parameters: ["ranges", "includeGridData", "excludeTablesInBandedRanges"],
    scopes: SHEETS_SCOPES.read,
    quota: "reads",
    shape: SPREADSHEET,
    run: get,
  },
];

function create({ caller, body, library, hasMask, mask }: MethodCall): JsonRecord {
  checkBody(body, SPREADSHEET);
  const file = library.add({
    title: text(record(body, "properties"), "title") || "Untitled spreadsheet",
    owner: caller.person,
    locale: text(record(body, "properties"), "locale") || caller.person.locale,
  });
  try {
    fill(file.workbook, records(body, "sheets"), caller.person.firstSheet);
  } catch (error) {
    // Created completely or not at all.
    library.files.splice(library.files.indexOf(file), 1);
    file.workbook.free();
    throw error;
  }
  library.markOpened(file, caller.person, caller.project);
  return spreadsheetRecord(file.workbook, [], hasMask && wants(mask, "sheets", "data"));
}

function fill(workbook: Workbook, sheets: readonly JsonRecord[], firstTitle: string): void {
  const grid = { rowCount: DEFAULT_ROWS, columnCount: DEFAULT_COLUMNS, hidden: false, type: "GRID" } as const;
  if (sheets.length === 0) workbook.addSheet({ ...grid, sheetId: 0, title: firstTitle });
  for (const [index, sheet] of sheets.entries()) {
    const properties = record(sheet, "properties");
    const size = record(properties, "gridProperties");
    const path = `sheets[${index}].properties.gridProperties`;
    const made = workbook.addSheet({
      ...grid,
      sheetId: "sheetId" in properties ? integerAt(properties, "sheetId", path) : newSheetId(),
      title: text(properties, "title") || (index === 0 ? firstTitle : `Sheet${index + 1}`),
      hidden: properties["hidden"] === true,
      rowCount: integerAt(size, "rowCount", path) || DEFAULT_ROWS,
      columnCount: integerAt(size, "columnCount", path) || DEFAULT_COLUMNS,
    });
    for (const [place, block] of records(sheet, "data").entries()) {
      writeBlock(made, block, `sheets[${index}].data[${place}]`);
    }
  }
}

function writeBlock(sheet: Sheet, block: JsonRecord, path: string): void {
  const startRow = integerAt(block, "startRow", path);
  const startColumn = integerAt(block, "startColumn", path);
  for (const [down, row] of records(block, "rowData").entries()) {
    for (const [right, cell] of listOf(row["values"]).entries()) {
      const place = { row: startRow + down, column: startColumn + right };
      if (place.row >= sheet.rowCount || place.column >= sheet.columnCount) {
        throw invalidArgument(`Invalid ${path}: a cell lies outside the grid.`);
      }
      const stored = storedCell(cell, `${path}.row_data[${down}].values[${right}]`);
      if (Object.keys(stored).length > 0) sheet.store(place.row, place.column, stored);
    }
  }
}

function listOf(value: unknown): JsonRecord[] {
  return Array.isArray(value) ? value.map((item) => (isRecord(item) ? item : {})) : [];
}

function get({ caller, path, query, library, hasMask, mask }: MethodCall): JsonRecord {
  const { workbook } = library.open(caller, path["spreadsheetId"] ?? "", "read");
  const areas = query.getAll("ranges").map((range) => areaOf(workbook, range));
  // With a mask, only the mask decides whether cells are sent.
  const cells = hasMask ? wants(mask, "sheets", "data") : query.get("includeGridData") === "true";
  return spreadsheetRecord(workbook, areas, cells);
}

/** With ranges, only their sheets. */
export function spreadsheetRecord(workbook: Workbook, areas: readonly Area[], cells: boolean): JsonRecord {
  const shown = workbook.sheets.filter(
    (sheet) => areas.length === 0 || areas.some((area) => area.sheet === sheet),
  );
  return {
    spreadsheetId: workbook.id,
    spreadsheetUrl: `https://docs.google.com/spreadsheets/d/${workbook.id}/edit`,
    properties: {
      title: workbook.title,
      locale: workbook.locale.name,
      timeZone: "Etc/UTC",
      autoRecalc: "ON_CHANGE",
    },
    sheets: shown.map((sheet) => ({
      properties: sheetProperties(workbook, sheet),
      ...(cells && sheet.type === "GRID" ? { data: blocksOf(sheet, areas) } : {}),
    })),
  };
}

function sheetProperties(workbook: Workbook, sheet: Sheet): JsonRecord {
  const { sheetId, title, type, hidden, rowCount, columnCount } = sheet;
  return {
    sheetId,
    title,
    index: workbook.sheets.indexOf(sheet),
    sheetType: type,
    hidden,
    ...(type === "OBJECT" ? {} : { gridProperties: { rowCount, columnCount } }),
  };
}

function blocksOf(sheet: Sheet, areas: readonly Area[]): JsonRecord[] {
  const { rowCount: endRow, columnCount: endColumn } = sheet;
  const whole = { sheet, startRow: 0, startColumn: 0, endRow, endColumn };
  const requested = areas.filter((area) => area.sheet === sheet);
  return (areas.length === 0 ? [whole] : requested).map(gridData);
}
