// `--fields id,oauth2.client_id`: selects fields of records, with dots for nested ones.

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

/** The first field that no record has, and the known fields; undefined if all are known. */
export function unknownField(
  records: readonly object[],
  fields: readonly Field[],
  optional: readonly string[],
): { field: Field; known: string[] } | undefined {
  if (records.length === 0) return undefined;
  const known = new Set([...records.flatMap((record) => Object.keys(record)), ...optional]);
  const missing = fields.find((field) => {
    const [first = ""] = field.split(".");
    const isOptional = optional.includes(field) || optional.includes(first);
    return !isOptional && records.every((record) => valueAt(record, field) === undefined);
  });
  return missing === undefined ? undefined : { field: missing, known: [...known] };
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
