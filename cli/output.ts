// Results on standard output: one JSON value, one YAML document, or a table for people.
import type { Io } from "./io";
import { printableJson } from "./printable";
import { type Column, linesOf, tableOf } from "./table";

export const FORMATS = ["table", "json", "yaml"] as const;
export type Format = (typeof FORMATS)[number];

/** Any value as JSON or YAML; in a table it is `forPeople`'s business. */
export function print(io: Io, format: Format, value: unknown, forPeople: () => string): void {
  if (format === "json") io.out(json(value));
  else if (format === "yaml") io.out(yaml(value));
  else io.out(forPeople());
}

/** A list: an array of records, or a table. `empty` is told to people in its place when there is nothing. */
export function printList<T>(
  io: Io,
  format: Format,
  items: readonly T[],
  columns: readonly Column<T>[],
  empty: string,
): void {
  if (format === "table" && items.length === 0) return io.note(empty);
  print(io, format, items, () => tableOf(items, columns, { paint: io.paint, width: io.columns }));
}

/** One record: itself, or its fields for people. */
export function printRecord(
  io: Io,
  format: Format,
  record: unknown,
  fields: readonly (readonly [string, string | undefined])[],
): void {
  print(io, format, record, () => linesOf(fields, io.paint));
}

export function json(value: unknown): string {
  return `${printableJson(JSON.stringify(value, null, 2))}\n`;
}

function yaml(value: unknown): string {
  // Through JSON, so that both formats leave out the same and show redacted values alike.
  const plain: unknown = JSON.parse(JSON.stringify(value));
  const text = Bun.YAML.stringify(plain, null, 2);
  // The writer lets these through although YAML wants them escaped; in its quoted texts this is the escape.
  const safe = text.replaceAll(
    /[\u007f-\u009f]/g,
    (character) => `\\x${character.charCodeAt(0).toString(16)}`,
  );
  return `${safe}\n`;
}
