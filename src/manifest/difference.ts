// What a document asks for that a record does not have yet.
import { isObject } from "../base";

/** Paths of the fields whose wanted value differs; what is not wanted is left alone. */
export function differing(wanted: unknown, present: unknown, path = ""): string[] {
  if (!isObject(wanted) || !isObject(present))
    return Bun.deepEquals(wanted, present) ? [] : [path === "" ? "value" : path];
  return Object.entries(wanted)
    .filter(([, value]) => value !== undefined)
    .flatMap(([key, value]) => differing(value, present[key], path === "" ? key : `${path}.${key}`));
}

/** The record without some of its fields. */
export function without(record: object, fields: readonly string[]): { [key: string]: unknown } {
  return Object.fromEntries(Object.entries(record).filter(([key]) => !fields.includes(key)));
}
