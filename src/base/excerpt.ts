// A bounded part of a value that is not valid, for its errors: listing every fault of a large value blocks the process.
import { isObject } from "./json";

/** Entries of lists and objects in an excerpt, nested ones included. */
const MAX_ENTRIES = 5000;

/** What is wrong with a list that is longer than its schema allows. */
export interface LongList {
  /** As in error messages: `a.b`. */
  field: string;
  most: number;
}

/** The first list that is longer than its schema allows, outside of other lists. */
export function longListIn(schema: unknown, value: unknown, field = ""): LongList | undefined {
  if (!isObject(schema)) return undefined;
  if (Array.isArray(value)) {
    const most = schema["maxItems"];
    return typeof most === "number" && value.length > most ? { field, most } : undefined;
  }
  const properties = schema["properties"];
  if (!isObject(value) || !isObject(properties)) return undefined;
  for (const [name, inner] of Object.entries(properties)) {
    if (!Object.hasOwn(value, name)) continue;
    const found = longListIn(inner, value[name], field === "" ? name : `${field}.${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The value itself if it is small; otherwise its first entries. */
export function excerptOf(value: unknown, most = MAX_ENTRIES): unknown {
  return cut(value, { left: most });
}

function cut(value: unknown, budget: { left: number }): unknown {
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (const item of value) {
      if (budget.left-- <= 0) break;
      items.push(cut(item, budget));
    }
    return items;
  }
  if (!isObject(value)) return value;
  const fields: { [name: string]: unknown } = {};
  for (const name in value) {
    if (budget.left-- <= 0) break;
    // Assigning it would set the prototype.
    if (name !== "__proto__") fields[name] = cut(value[name], budget);
  }
  return fields;
}
