// Checks the names in the body of a request: an unknown one is refused with its path.
import { isRecord, type JsonRecord } from "../chat/json";
import type { Shape } from "./field-mask";
import { invalidArgument } from "./platform-error";

/** Throws 400 for an unknown name. */
export function checkBody(body: JsonRecord, shape: Shape, path = ""): void {
  for (const [name, value] of Object.entries(body)) {
    const known = shape[name];
    if (known === undefined) throw unknownName(name, path);
    if (known !== true) checkValue(value, known, path === "" ? name : `${path}.${name}`);
  }
}

function checkValue(value: unknown, shape: Shape, path: string): void {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) checkValue(item, shape, `${path}[${index}]`);
  } else if (isRecord(value)) {
    checkBody(value, shape, path);
  } else {
    throw invalidArgument(`Invalid value at '${path}': an object is expected.`);
  }
}

function unknownName(name: string, path: string): Error {
  const where = path === "" ? "" : ` at '${path}'`;
  return invalidArgument(`Invalid JSON payload received. Unknown name "${name}"${where}: Cannot find field.`);
}

/** A whole number; absent is 0, as the platform reads it. Throws 400 for anything else. */
export function integerAt(source: JsonRecord, field: string, path: string): number {
  const value = source[field] ?? 0;
  if (typeof value !== "number" || !Number.isInteger(value) || value < 0) {
    throw invalidArgument(`Invalid value at '${path}.${field}'`);
  }
  return value;
}
