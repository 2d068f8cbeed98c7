// Reads and writes cells in the typed form of the interface.
import { isRecord, record, type JsonRecord } from "../../chat/json";
import type { Entered, NumberFormat } from "../engine/entered";
import { invalidArgument } from "../platform-error";
import type { Area } from "./range";
import type { ShownCell, StoredCell } from "./sheet";

const MAX_TEXT = 50_000;
const FORMAT_TYPES = new Set(
  "TEXT NUMBER PERCENT CURRENCY DATE TIME DATE_TIME SCIENTIFIC NUMBER_FORMAT_TYPE_UNSPECIFIED".split(" "),
);

/** The block of cells of a range, without empty rows and cells at the end. */
export function gridData(area: Area): JsonRecord {
  const rows: JsonRecord[] = [];
  for (let row = area.startRow; row < area.endRow; row++) {
    const values: JsonRecord[] = [];
    for (let column = area.startColumn; column < area.endColumn; column++) {
      values.push(cellData(area.sheet.shown(row, column)));
    }
    rows.push({ values: withoutLast(values, isEmpty) });
  }
  return {
    startRow: area.startRow,
    startColumn: area.startColumn,
    rowData: withoutLast(rows, ({ values }) => Array.isArray(values) && values.length === 0),
  };
}

export function cellData(cell: ShownCell): JsonRecord {
  return {
    ...(cell.entered === undefined ? {} : { userEnteredValue: cell.entered }),
    ...(cell.effective === undefined ? {} : { effectiveValue: cell.effective }),
    ...(cell.shown === "" ? {} : { formattedValue: cell.shown }),
    ...(cell.format === undefined
      ? {}
      : { userEnteredFormat: { numberFormat: cell.format }, effectiveFormat: { numberFormat: cell.format } }),
    ...(cell.note === undefined ? {} : { note: cell.note }),
  };
}

/** The new content of a cell. `where` names the cell in a refusal. */
export function storedCell(cell: JsonRecord, where: string): StoredCell {
  const entered = "userEnteredValue" in cell ? enteredOf(record(cell, "userEnteredValue"), where) : undefined;
  const format = record(record(cell, "userEnteredFormat"), "numberFormat");
  const note = cell["note"];
  if (note !== undefined && typeof note !== "string")
    throw invalidArgument(`Invalid value at '${where}.note'`);
  return {
    ...(entered === undefined ? {} : { entered }),
    ...(Object.keys(format).length === 0 ? {} : { format: formatOf(format, where) }),
    ...(note === undefined || note === "" ? {} : { note }),
  };
}

/** Throws 400 for a text that is too long for a cell. */
export function requireShort(text: string): void {
  if (Array.from(text).length > MAX_TEXT) {
    throw invalidArgument(
      `Your input contains more than the maximum of ${MAX_TEXT} characters in a single cell.`,
    );
  }
}

function enteredOf(value: JsonRecord, where: string): Entered | undefined {
  const fields = Object.entries(value);
  if (fields.length > 1) {
    throw invalidArgument(`Invalid value at '${where}.user_entered_value': oneof field is already set.`);
  }
  const [name, inner] = fields[0] ?? [];
  if (name === undefined) return undefined;
  if (name === "numberValue" && typeof inner === "number") return { numberValue: inner };
  if (name === "boolValue" && typeof inner === "boolean") return { boolValue: inner };
  if (typeof inner !== "string")
    throw invalidArgument(`Invalid value at '${where}.user_entered_value.${name}'`);
  requireShort(inner);
  if (name === "stringValue") return inner === "" ? undefined : { stringValue: inner };
  if (name === "formulaValue" && inner.startsWith("=") && inner.length > 1) return { formulaValue: inner };
  throw invalidArgument(`Invalid ${where}.userEnteredValue.${name}: not a value of this kind.`);
}

function formatOf(format: JsonRecord, where: string): NumberFormat {
  const { type, pattern } = format;
  if (typeof type !== "string" || !FORMAT_TYPES.has(type)) {
    throw invalidArgument(`Invalid value at '${where}.user_entered_format.number_format.type'`);
  }
  if (typeof pattern !== "string") {
    throw invalidArgument(`Invalid value at '${where}.user_entered_format.number_format.pattern'`);
  }
  return { type, pattern };
}

export function withoutLast<Item>(items: Item[], isEmptyItem: (item: Item) => boolean): Item[] {
  let length = items.length;
  for (let item = items[length - 1]; item !== undefined && isEmptyItem(item); item = items[length - 1])
    length--;
  return items.slice(0, length);
}

function isEmpty(cell: unknown): boolean {
  return isRecord(cell) && Object.keys(cell).length === 0;
}
