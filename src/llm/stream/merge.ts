// Puts the fragments of a streamed message together into the record that a whole answer would have, fields that we do not
// know included.
import { isObject } from "../../base";

type Loose = { [field: string]: unknown };

/** Adds a fragment to a record: texts continue, lists and objects grow, everything else is replaced. */
export function merge(record: Loose, fragment: Loose): void {
  for (const [field, value] of Object.entries(fragment)) {
    if (value === null || value === undefined) continue;
    define(record, field, merged(field, Object.hasOwn(record, field) ? record[field] : undefined, value));
  }
}

/** A copy without the fields that are null, which a stream does not have. */
export function withoutNulls(record: Loose): Loose {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null));
}

function merged(field: string, before: unknown, value: unknown): unknown {
  if (typeof before === "string" && typeof value === "string" && !LABELS.has(field)) return before + value;
  if (Array.isArray(value)) {
    // Copies, so that the lists of a chunk are never changed.
    const list: unknown[] = Array.isArray(before) ? before : asParts(before);
    for (const item of value) addTo(list, item);
    return list;
  }
  // Content that was a list continues as text.
  if (Array.isArray(before) && typeof value === "string" && field === "content") {
    if (value !== "") addTo(before, { type: "text", text: value });
    return before;
  }
  if (!isObject(value)) return value;
  const record: Loose = isObject(before) ? before : {};
  merge(record, value);
  return record;
}

/** Fields that name something: a repetition is the same name. */
const LABELS = new Set(["type", "id", "name", "role", "format", "object", "status", "model"]);

function asParts(before: unknown): unknown[] {
  return typeof before === "string" && before !== "" ? [{ type: "text", text: before }] : [];
}

function addTo(list: unknown[], item: unknown): void {
  const continued = isObject(item)
    ? list.findLast((one) => isObject(one) && continues(one, item, list))
    : undefined;
  if (isObject(continued) && isObject(item)) merge(continued, item);
  else list.push(copied(item));
}

/** Whether an item of a list continues an earlier one: that with its index, or the last one if both are text. */
function continues(before: Loose, item: Loose, list: readonly unknown[]): boolean {
  if (isOther(before["type"], item["type"]) || isOther(before["id"], item["id"])) return false;
  if (item["index"] !== undefined) return item["index"] === before["index"];
  return list.at(-1) === before && isText(before) && isText(item);
}

function isOther(before: unknown, value: unknown): boolean {
  return before !== undefined && before !== null && value !== undefined && value !== null && before !== value;
}

function isText(item: Loose): boolean {
  const { type, ...fields } = item;
  return type !== undefined && Object.keys(fields).every((field) => TEXTS.has(field));
}

const TEXTS = new Set(["text", "thinking", "summary", "signature", "format", "closed"]);

function copied(value: unknown): unknown {
  return isObject(value) || Array.isArray(value) ? structuredClone(value) : value;
}

// As an own property, whatever its name.
function define(record: Loose, field: string, value: unknown): void {
  Object.defineProperty(record, field, { value, writable: true, enumerable: true, configurable: true });
}
