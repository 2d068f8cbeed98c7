// `--fields id,oauth2.client_id`: selects fields of records, with dots for nested ones.

import { unknownFields } from "../src/base/unknown-fields";

export type Field = string;
type Plain = { readonly [key: string]: unknown };

/** The record with these fields only, nested as before. Missing fields are omitted. */
export function choose(record: object, fields: readonly Field[]): object {
  const chosen: { [key: string]: unknown } = {};
  for (const field of fields) {
    const value = valueAt(record, field);
    if (value !== undefined) put(chosen, field.split("."), value);
  }
  return chosen;
}

/** A field as the text of a cell: lists separated by commas, records as JSON. */
export function fieldText(record: object, field: Field): string | undefined {
  const value = valueAt(record, field);
  if (value === undefined || value === null) return undefined;
  if (Array.isArray(value) && value.every((each) => typeof each !== "object")) return value.join(",");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Which fields a kind of record may have besides those of the records at hand. */
export interface MayHave {
  /** Fields that a record may lack. */
  optional?: readonly string[];
  /** The schema of the record, for what is inside of optional fields; absent: anything may be there. */
  schema?: object;
}

/** The first field that no record has, and the known ones at its place; undefined if all are known. */
export function unknownField(
  records: readonly object[],
  fields: readonly Field[],
  { optional = [], schema }: MayHave,
): { field: Field; name: string; known: readonly string[] } | undefined {
  if (records.length === 0) return undefined;
  for (const field of fields) {
    const [first = ""] = field.split(".");
    if (optional.includes(field) || records.some((record) => valueAt(record, field) !== undefined)) continue;
    if (!optional.includes(first)) {
      const known = new Set([...records.flatMap((record) => Object.keys(record)), ...optional]);
      return { field, name: field, known: [...known] };
    }
    const [unknown] = schema === undefined ? [] : unknownFields(schema, nested(field.split(".")), 1);
    if (unknown !== undefined) return { field, name: unknown.name, known: unknown.known };
  }
  return undefined;
}

/** A record that has only the field at this path. */
export function nested([name = "", ...rest]: readonly string[]): { [name: string]: unknown } {
  return { [name]: rest.length === 0 ? true : nested(rest) };
}

function valueAt(record: object, field: Field): unknown {
  return field
    .split(".")
    .reduce<unknown>(
      (inner, key) => (isPlain(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined),
      record,
    );
}

function put(
  target: { [key: string]: unknown },
  [key = "", ...rest]: readonly string[],
  value: unknown,
): void {
  if (rest.length === 0) {
    target[key] = value;
    return;
  }
  const known = target[key];
  const inner: { [key: string]: unknown } = isPlain(known) ? { ...known } : {};
  put(inner, rest, value);
  target[key] = inner;
}

function isPlain(value: unknown): value is Plain {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
