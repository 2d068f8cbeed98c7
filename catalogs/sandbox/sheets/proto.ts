// Answers in the platform's form, without empty fields.
import { isRecord, type JsonRecord } from "../chat/json";

/** Fields that are kept even if empty: a cell with zero or false is not empty. */
const PRESENT = new Set(["numberValue", "boolValue"]);

/** A copy without zero, false, empty texts, lists and objects. Items of lists are kept. */
export function withoutEmpty(record: JsonRecord): JsonRecord {
  const kept: JsonRecord = {};
  for (const [name, value] of Object.entries(record)) {
    const inner = reduced(name, value);
    if (PRESENT.has(name) ? inner !== undefined && inner !== null : !isEmpty(inner)) kept[name] = inner;
  }
  return kept;
}

function reduced(name: string, value: unknown): unknown {
  // Values of a range are cells, not fields: an empty text is an empty cell.
  if (name === "values" && Array.isArray(value) && value.every((row) => Array.isArray(row))) return value;
  if (Array.isArray(value)) return value.map((item) => (isRecord(item) ? withoutEmpty(item) : item));
  return isRecord(value) ? withoutEmpty(value) : value;
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isRecord(value)) return Object.keys(value).length === 0;
  return value === undefined || value === null || value === 0 || value === false || value === "";
}
