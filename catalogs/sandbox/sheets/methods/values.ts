// The spreadsheet interface: reading and writing the values of ranges.
import { isRecord, record, records, text, type JsonRecord } from "../../chat/json";
import { letters } from "../a1";
import { checkBody } from "../check-body";
import { typed } from "../engine/typing";
import { SHEETS_SCOPES } from "../oauth/scopes";
import { invalidArgument } from "../platform-error";
import { BATCH_GET_VALUES, BATCH_UPDATE_VALUES, UPDATE_VALUES, VALUE_RANGE } from "../shapes";
import { requireShort, withoutLast } from "../workbook/cell-data";
import { type Area, areaOf, nameOf, writableAreaOf } from "../workbook/range";
import type { Workbook } from "../workbook/workbook";
import type { Method, MethodCall } from "./call";

type Value = string | number | boolean;

interface Writing {
  readonly area: Area;
  readonly cells: readonly { readonly row: number; readonly column: number; readonly value: Value }[];
}

const RENDER = "valueRenderOption dateTimeRenderOption majorDimension".split(" ");
const RESPONSE = "includeValuesInResponse responseValueRenderOption responseDateTimeRenderOption".split(" ");
const ID = String.raw`^\/v4\/spreadsheets\/(?<spreadsheetId>[^/:]+)\/values`;

export const valueMethods: readonly Method[] = [
  {
    id: "spreadsheets.values.get",
    verb: "GET",
    path: new RegExp(String.raw`${ID}\/(?<range>[^/]+)$`),
    parameters: RENDER,
    scopes: SHEETS_SCOPES.read,
    quota: "reads",
    shape: VALUE_RANGE,
    run: ({ caller, path, query, library }) => {
      const { workbook } = library.open(caller, path["spreadsheetId"] ?? "", "read");
      return valueRange(areaOf(workbook, path["range"] ?? ""), query.get("valueRenderOption"));
    },
  },
  {
    id: "spreadsheets.values.batchGet",
    verb: "GET",
    path: new RegExp(`${ID}:batchGet$`),
    parameters: [...RENDER, "ranges"],
    scopes: SHEETS_SCOPES.read,
    quota: "reads",
    shape: BATCH_GET_VALUES,
    run: ({ caller, path, query, library }) => {
      const { workbook } = library.open(caller, path["spreadsheetId"] ?? "", "read");
      const render = query.get("valueRenderOption");
      const valueRanges = query.getAll("ranges").map((range) => valueRange(areaOf(workbook, range), render));
      return { spreadsheetId: workbook.id, valueRanges };
    },
  },
  {
    id: "spreadsheets.values.update",
    verb: "PUT",
    path: new RegExp(String.raw`${ID}\/(?<range>[^/]+)$`),
    parameters: [...RESPONSE, "valueInputOption"],
    scopes: SHEETS_SCOPES.write,
    quota: "writes",
    shape: UPDATE_VALUES,
    run: update,
  },
  {
    id: "spreadsheets.values.batchUpdate",
    verb: "POST",
    path: new RegExp(`${ID}:batchUpdate$`),
    parameters: [],
    scopes: SHEETS_SCOPES.write,
    quota: "writes",
    shape: BATCH_UPDATE_VALUES,
    run: batchUpdate,
  },
];

function update({ caller, path, query, body, library }: MethodCall): JsonRecord {
  checkBody(body, VALUE_RANGE);
  const file = library.open(caller, path["spreadsheetId"] ?? "", "write");
  const range = path["range"] ?? "";
  if ("range" in body && body["range"] !== range) {
    throw invalidArgument("Requested range and the range of the values differ.");
  }
  const enter = entering(query.get("valueInputOption"));
  const writing = writingOf(file.workbook, range, body);
  apply(writing, enter);
  library.touch(file);
  return {
    spreadsheetId: file.id,
    ...outcomeOf(writing),
    ...(query.get("includeValuesInResponse") === "true"
      ? { updatedData: valueRange(writing.area, query.get("responseValueRenderOption")) }
      : {}),
  };
}

function batchUpdate({ caller, path, body, library }: MethodCall): JsonRecord {
  const shape = Object.fromEntries(["valueInputOption", ...RESPONSE].map((name) => [name, true] as const));
  checkBody(body, { ...shape, data: VALUE_RANGE });
  const file = library.open(caller, path["spreadsheetId"] ?? "", "write");
  const enter = entering(body["valueInputOption"]);
  // Everything is checked before anything is written.
  const writings = records(body, "data").map((data) =>
    writingOf(file.workbook, String(data["range"] ?? ""), data),
  );
  for (const writing of writings) apply(writing, enter);
  library.touch(file);
  const render = text(body, "responseValueRenderOption") || null;
  const shown = ({ area }: Writing): JsonRecord =>
    body["includeValuesInResponse"] === true ? { updatedData: valueRange(area, render) } : {};
  const cells = writings.flatMap(({ area, cells: written }) =>
    written.map(({ row, column }) => ({
      row: `${area.sheet.sheetId} ${row}`,
      column: `${area.sheet.sheetId} ${column}`,
    })),
  );
  return {
    spreadsheetId: file.id,
    totalUpdatedRows: new Set(cells.map(({ row }) => row)).size,
    totalUpdatedColumns: new Set(cells.map(({ column }) => column)).size,
    totalUpdatedCells: cells.length,
    totalUpdatedSheets: new Set(writings.map(({ area }) => area.sheet)).size,
    responses: writings.map((writing) => ({
      spreadsheetId: file.id,
      ...outcomeOf(writing),
      ...shown(writing),
    })),
  };
}

type Enter = (area: Area, row: number, column: number, value: Value) => void;

function entering(option: unknown): Enter {
  if (option === "USER_ENTERED") {
    return ({ sheet }, row, column, value) => {
      if (typeof value === "string") {
        const { entered, format } = typed(value, sheet.locale);
        sheet.enter(row, column, entered, format);
      } else sheet.enter(row, column, literal(value));
    };
  }
  if (option === "RAW") {
    return ({ sheet }, row, column, value) => sheet.enter(row, column, literal(value));
  }
  throw invalidArgument("'valueInputOption' is required but not specified");
}

function literal(value: Value) {
  if (typeof value === "number") return { numberValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  return value === "" ? undefined : { stringValue: value };
}

function apply({ area, cells }: Writing, enter: Enter): void {
  for (const { row, column, value } of cells) enter(area, row, column, value);
}

/** The cells to write; `null` does not change a cell. Throws 400 for values outside the range. */
function writingOf(workbook: Workbook, range: string, body: JsonRecord): Writing {
  const area = writableAreaOf(workbook, range);
  const byColumns = (body["majorDimension"] ?? "ROWS") === "COLUMNS";
  const rows: unknown = body["values"] ?? [];
  if (!Array.isArray(rows)) throw invalidArgument("Invalid value at 'data.values'");
  const cells = rows.flatMap((list: unknown, down) => {
    if (!Array.isArray(list)) throw invalidArgument(`Invalid value at 'data.values[${down}]'`);
    return list.flatMap((value: unknown, right) => {
      const row = area.startRow + (byColumns ? right : down);
      const column = area.startColumn + (byColumns ? down : right);
      if (row >= area.endRow || column >= area.endColumn) throw outside(area, row, column);
      return value === null ? [] : [{ row, column, value: valueOf(value, `${down}][${right}`) }];
    });
  });
  return { area, cells };
}

function valueOf(value: unknown, place: string): Value {
  if (typeof value === "string") requireShort(value);
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  throw invalidArgument(`Invalid values[${place}]: ${isRecord(value) ? "struct_value" : "list_value"}`);
}

function outside(area: Area, row: number, column: number): Error {
  const where = column >= area.endColumn ? `column [${letters(column + 1)}]` : `row [${row + 1}]`;
  return invalidArgument(`Requested writing within range [${nameOf(area)}], but tried writing to ${where}`);
}

function outcomeOf({ area, cells }: Writing): JsonRecord {
  return {
    updatedRange: nameOf(area),
    updatedRows: new Set(cells.map(({ row }) => row)).size,
    updatedColumns: new Set(cells.map(({ column }) => column)).size,
    updatedCells: cells.length,
  };
}

/** Displayed or stored values of cells. Empty rows and cells at the end are omitted. */
function valueRange(area: Area, render: string | null): JsonRecord {
  const rows: Value[][] = [];
  for (let row = area.startRow; row < area.endRow; row++) {
    const values: Value[] = [];
    for (let column = area.startColumn; column < area.endColumn; column++) {
      values.push(rendered(area, row, column, render));
    }
    rows.push(withoutLast(values, (value) => value === ""));
  }
  return {
    range: nameOf(area),
    majorDimension: "ROWS",
    values: withoutLast(rows, (values) => values.length === 0),
  };
}

function rendered({ sheet }: Area, row: number, column: number, render: string | null): Value {
  const cell = sheet.shown(row, column);
  if (render === "FORMULA" && cell.entered !== undefined) return Object.values(cell.entered)[0] ?? "";
  if (render !== "UNFORMATTED_VALUE") return cell.shown;
  const [value] = Object.values(record({ value: cell.effective ?? {} }, "value"));
  return typeof value === "number" || typeof value === "boolean" || typeof value === "string"
    ? value
    : cell.shown;
}
