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
  if (!isObject(item)) {
    list.push(copied(item));
    return;
  }
  const before = candidatesOf(list, item).findLast((one) => continues(one, item));
  if (before !== undefined) return merge(before, item);
  const added: Loose = copied(item);
  list.push(added);
  if (added["index"] === undefined) return;
  const known = byIndex.get(list) ?? new Map<unknown, Loose[]>();
  byIndex.set(list, known);
  // Few items of a list have the same index.
  known.set(added["index"], [...(known.get(added["index"]) ?? []), added].slice(-MOST_OF_INDEX));
}

const MOST_OF_INDEX = 8;
/** The last items of a list, by their index: a stream may have very many. */
const byIndex = new WeakMap<unknown[], Map<unknown, Loose[]>>();

/** The items that another one may continue: those with its index, or the last one. */
function candidatesOf(list: unknown[], item: Loose): Loose[] {
  if (item["index"] !== undefined) return byIndex.get(list)?.get(item["index"]) ?? [];
  return list.slice(-1).filter(isObject);
}

/** Whether an item continues a candidate: the last one only if both are text. */
function continues(before: Loose, item: Loose): boolean {
  if (isOther(before["type"], item["type"]) || isOther(before["id"], item["id"])) return false;
  return item["index"] !== undefined || (isText(before) && isText(item));
}

function isOther(before: unknown, value: unknown): boolean {
  return before !== undefined && before !== null && value !== undefined && value !== null && before !== value;
}

function isText(item: Loose): boolean {
  const { type, ...fields } = item;
  return type !== undefined && Object.keys(fields).every((field) => TEXTS.has(field));
}

const TEXTS = new Set(["text", "thinking", "summary", "signature", "format", "closed"]);

function copied<T>(value: T): T {
  return isObject(value) || Array.isArray(value) ? structuredClone(value) : value;
}

// As an own property, whatever its name.
function define(record: Loose, field: string, value: unknown): void {
  Object.defineProperty(record, field, { value, writable: true, enumerable: true, configurable: true });
}
