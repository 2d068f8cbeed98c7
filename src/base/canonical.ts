// JSON in one form for equal values: the order in which names were written does not count.
import { isObject } from "./json";

/** JSON with the names of each object sorted, without undefined values. Values are at most 1,000 levels deep. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sorted(value));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  // A number with more digits than a double keeps is an object, too.
  if (!isObject(value) || JSON.isRawJSON(value)) return value;
  const names = Object.keys(value);
  if (names.length > 1) names.sort();
  const object: Record<string, unknown> = {};
  for (const name of names) {
    const inner = value[name];
    if (inner === undefined) continue;
    // Assigning it would set the prototype.
    if (name === "__proto__") Object.defineProperty(object, name, { value: sorted(inner), enumerable: true });
    else object[name] = typeof inner === "object" ? sorted(inner) : inner;
  }
  return object;
}
