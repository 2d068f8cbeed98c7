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
  const names = Object.keys(value).filter((name) => value[name] !== undefined);
  names.sort();
  // A null prototype: a member may be called `__proto__`.
  const object: Record<string, unknown> = Object.create(null);
  for (const name of names) object[name] = sorted(value[name]);
  return object;
}
