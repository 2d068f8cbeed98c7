// The spreadsheet interface: changes other than values. A batch is applied completely or not at all.
import { isRecord, record, records, text, type JsonRecord } from "../../chat/json";
import { checkBody, integerAt } from "../check-body";
import { type Mask, MaskError, parseMask } from "../field-mask";
import { SHEETS_SCOPES } from "../oauth/scopes";
import { DATA_SOURCE_RANGE } from "../behaviour/refusals";
import { invalidArgument, refusedBy } from "../platform-error";
import { BATCH_UPDATE, ROW_DATA } from "../shapes";
import { storedCell } from "../workbook/cell-data";
import type { Sheet, StoredCell } from "../workbook/sheet";
import type { Workbook } from "../workbook/workbook";
import type { Method, MethodCall } from "./call";

/** Applies a request and returns its undo. Throws 400 without changes. */
type Change = (workbook: Workbook, request: JsonRecord, path: string) => () => void;

const CHANGES: Readonly<Record<string, Change>> = { appendDimension, updateCells };

const CELL_SHAPE = ROW_DATA["values"];

export const batchUpdateMethod: Method = {
  id: "spreadsheets.batchUpdate",
  verb: "POST",
  path: /^\/v4\/spreadsheets\/(?<spreadsheetId>[^/:]+):batchUpdate$/,
  parameters: [],
  scopes: SHEETS_SCOPES.write,
  quota: "writes",
  shape: BATCH_UPDATE,
  run: batchUpdate,
};

function batchUpdate({ caller, path, body, library }: MethodCall): JsonRecord {
  checkBody(body, { requests: true, includeSpreadsheetInResponse: true });
  const file = library.open(caller, path["spreadsheetId"] ?? "", "write");
  const requests = records(body, "requests");
  if (requests.length === 0) throw invalidArgument("Must specify at least one request.");
  const undo: (() => void)[] = [];
  try {
    for (const [index, request] of requests.entries()) undo.unshift(change(file.workbook, request, index));
  } catch (error) {
    for (const step of undo) step();
    throw error;
  }
  library.touch(file);
  return { spreadsheetId: file.id, replies: requests.map(() => ({})) };
}

function change(workbook: Workbook, request: JsonRecord, index: number): () => void {
  const [kind = "", ...others] = Object.keys(request);
  const carryOut = CHANGES[kind];
  if (carryOut === undefined || others.length > 0) {
    throw invalidArgument(`Invalid value at 'requests[${index}]': one known kind of request is expected.`);
  }
  return carryOut(workbook, record(request, kind), `requests[${index}].${kind}`);
}

function appendDimension(workbook: Workbook, request: JsonRecord, path: string): () => void {
  checkBody(request, { sheetId: true, dimension: true, length: true }, path);
  const sheet = sheetOf(workbook, request, path);
  const length = integerAt(request, "length", path);
  const isRows = request["dimension"] === "ROWS";
  if (!isRows && request["dimension"] !== "COLUMNS")
    throw invalidArgument(`Invalid value at '${path}.dimension'`);
  if (length === 0) throw invalidArgument(`Invalid ${path}: length must be greater than zero.`);
  const cells = length * (isRows ? sheet.columnCount : sheet.rowCount);
  workbook.requireRoom(cells, sheet.columnCount + (isRows ? 0 : length));
  const grow = (by: number): void => {
    if (isRows) sheet.rowCount += by;
    else sheet.columnCount += by;
  };
  grow(length);
  return () => grow(-length);
}

function updateCells(workbook: Workbook, request: JsonRecord, path: string): () => void {
  const start = record(request, "start");
  checkBody(
    request,
    { start: { sheetId: true, rowIndex: true, columnIndex: true }, rows: ROW_DATA, fields: true },
    path,
  );
  const sheet = sheetOf(workbook, start, path);
  const mask = maskOf(request, path);
  const cells = records(request, "rows").flatMap((row, down) =>
    (Array.isArray(row["values"]) ? row["values"] : []).map((cell: unknown, right) => {
      const place = {
        row: integerAt(start, "rowIndex", path) + down,
        column: integerAt(start, "columnIndex", path) + right,
      };
      if (place.row >= sheet.rowCount || place.column >= sheet.columnCount) {
        throw invalidArgument(
          `Invalid ${path}: Attempting to write cell ${place.row}, ${place.column}, beyond the last requested cell of the grid.`,
        );
      }
      return {
        ...place,
        cell: storedCell(isRecord(cell) ? cell : {}, `${path}.rows[${down}].values[${right}]`),
      };
    }),
  );
  const before = cells.map(({ row, column }) => ({ row, column, cell: sheet.stored(row, column) }));
  for (const { row, column, cell } of cells) {
    sheet.store(row, column, masking(sheet.stored(row, column), cell, mask));
  }
  return () => {
    for (const { row, column, cell } of before) sheet.store(row, column, cell);
  };
}

/** Fields of the mask come from the request, also if absent; others are kept. */
function masking(before: StoredCell, given: StoredCell, mask: Mask): StoredCell {
  const from = (field: string): StoredCell =>
    mask === "all" || mask["*"] !== undefined || mask[field] !== undefined ? given : before;
  const { entered } = from("userEnteredValue");
  const { format } = from("userEnteredFormat");
  const { note } = from("note");
  return {
    ...(entered === undefined ? {} : { entered }),
    ...(format === undefined ? {} : { format }),
    ...(note === undefined ? {} : { note }),
  };
}

function maskOf(request: JsonRecord, path: string): Mask {
  const fields = text(request, "fields");
  if (fields === "") {
    throw invalidArgument(
      `Invalid ${path}: At least one field must be listed in 'fields'. (Use '*' to indicate all fields.)`,
    );
  }
  try {
    return parseMask(fields, CELL_SHAPE === true || CELL_SHAPE === undefined ? {} : CELL_SHAPE);
  } catch (error) {
    if (!(error instanceof MaskError)) throw error;
    throw invalidArgument(`Invalid ${path}: Invalid field: ${error.path}`);
  }
}

function sheetOf(workbook: Workbook, source: JsonRecord, path: string): Sheet {
  const sheetId = integerAt(source, "sheetId", path);
  const sheet = workbook.sheetWithId(sheetId);
  if (sheet === undefined) throw invalidArgument(`Invalid ${path}: No grid with id: ${sheetId}`);
  if (sheet.type === "DATA_SOURCE") throw refusedBy(DATA_SOURCE_RANGE);
  return sheet;
}
