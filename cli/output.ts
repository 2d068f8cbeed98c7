// Results on standard output: a table for people, or JSON, YAML, one JSON value per line, or only names for programs.
import { isObject } from "../src/base/json";
import { nearest } from "../src/base/nearest";
import { UsageError } from "./errors";
import { choose, type Field, fieldText, type MayHave, unknownField } from "./fields";
import type { Io } from "./io";
import { printable, printableJson } from "./printable";
import { type Column, fittedTable, linesOf } from "./table";

export const FORMATS = ["table", "json", "yaml", "ndjson", "name"] as const;
export type Format = (typeof FORMATS)[number];

/** How results are shown. */
export interface View {
  output: Format;
  fields: readonly string[] | undefined;
  /** The output is the result of a change that has been made. */
  acts?: boolean;
  headers: boolean;
}

/** Labels and their values; entries without a value are left out. */
export type Lines = readonly (readonly [label: string, value: string | undefined])[];

/** How one kind of record is printed. */
export interface Shape<T> extends MayHave {
  columns: readonly Column<T>[];
  /** The lines that a single record is shown with; default: those of its columns. */
  lines?(record: T): Lines;
  /** The text by which other commands refer to the record. */
  name(record: T): string;
}

/** A list: an array of records, or a table. `empty` is the note that replaces an empty table. */
export function printList<T extends object>(
  io: Io,
  view: View,
  items: readonly T[],
  { columns, name, ...mayHave }: Shape<T>,
  empty: string,
): void {
  const { output, fields, headers } = view;
  if (output === "name") return io.out(items.map((item) => `${printable(name(item))}\n`).join(""));
  const shown = chosen(items, fields, mayHave);
  if (output === "ndjson") return io.out(shown.map(line).join(""));
  if (output !== "table") return io.out(output === "json" ? json(shown) : yaml(shown));
  if (items.length === 0) return io.note(empty);
  const wanted = fields === undefined ? columns : fields.map(fieldColumn);
  const { text, hidden } = fittedTable(items, wanted, { paint: io.paint, width: io.columns, headers });
  io.out(text);
  if (hidden.length > 0)
    io.note(
      `The terminal is too narrow for: ${hidden.join(", ")}. Use -o json or -o yaml to see everything.`,
    );
}

/** One record: itself, or lines for people. */
export function printRecord<T extends object>(
  io: Io,
  view: View,
  record: T,
  { columns, lines = (item) => columnLines(columns, item), name, ...mayHave }: Shape<T>,
): void {
  const { output } = view;
  if (output === "name") return io.out(`${printable(name(record))}\n`);
  const fields = view.acts === true ? knownFields(io, record, view.fields, mayHave) : view.fields;
  const [shown] = chosen([record], fields, mayHave);
  if (output !== "table") return io.out(formatted(output, shown));
  const selected = fields?.map((field) => [field, fieldText(record, field)] as const);
  io.out(linesOf(selected ?? lines(record), io.paint, io.columns));
}

export function columnLines<T>(columns: readonly Column<T>[], record: T): Lines {
  return columns.map(({ title, value }) => [title, value(record)]);
}

/** Any value for programs; `forPeople` makes the text for people. */
export function print(io: Io, format: Format, value: unknown, forPeople: () => string): void {
  io.out(textOf(format, value, forPeople));
}

/** The text that `print` writes. */
export function textOf(format: Format, value: unknown, forPeople: () => string): string {
  return format === "table" || format === "name" ? forPeople() : formatted(format, value);
}

/** The result of a deletion: `{id, deleted}` for programs; for people the caller prints a note. */
export function printDeleted(io: Io, { output }: View, id: string, deleted = true): void {
  if (output === "name" && deleted) io.out(`${printable(id)}\n`);
  else print(io, output, { id, deleted }, () => "");
}

export function json(value: unknown): string {
  return `${printableJson(JSON.stringify(value, null, 2))}\n`;
}

function formatted(format: Exclude<Format, "table" | "name">, value: unknown): string {
  if (format === "json") return json(value);
  return format === "yaml" ? yaml(value) : line(value);
}

function line(value: unknown): string {
  return `${printableJson(JSON.stringify(value))}\n`;
}

function fieldColumn<T extends object>(field: Field): Column<T> {
  // A field that was asked for by name is shown in full.
  return { title: field, value: (item) => fieldText(item, field), keep: "always" };
}

function chosen<T extends object>(
  items: readonly T[],
  fields: readonly Field[] | undefined,
  mayHave: MayHave,
): readonly object[] {
  if (fields === undefined) return items;
  const unknown = unknownField(items, fields, mayHave);
  if (unknown === undefined) return items.map((item) => choose(item, fields));
  const meant = nearest(unknown.name, unknown.known);
  const hint = meant === undefined ? "" : ` Did you mean ${meant}?`;
  throw new UsageError(
    `--fields: there is no field ${unknown.field}.${hint} The fields are ${unknown.known.join(", ")}.`,
  );
}

// The change has been made: an unknown name shows the whole record, because an error would invite a second attempt.
function knownFields(
  io: Io,
  record: object,
  fields: readonly Field[] | undefined,
  mayHave: MayHave,
): readonly Field[] | undefined {
  const unknown = fields === undefined ? undefined : unknownField([record], fields, mayHave);
  if (unknown === undefined) return fields;
  io.note(`warning: --fields: there is no field ${unknown.field}. Showing all fields.`);
  return undefined;
}

function yaml(value: unknown): string {
  // The writer does not escape all hidden characters, and only quoted texts have escapes. So texts that contain some are
  // replaced by names, and written like JSON, which is YAML.
  const quoted: string[] = [];
  const named = (text: string): string => {
    const json = JSON.stringify(text);
    const safe = printableJson(json);
    return safe === json ? text : `quoted_text_${nonce}_${quoted.push(safe) - 1}`;
  };
  const nonce = crypto.randomUUID().replaceAll("-", "");
  // Through JSON, so that both formats omit the same fields and show redacted values alike.
  const plain: unknown = JSON.parse(JSON.stringify(value), (_key, one: unknown) => {
    if (typeof one === "string") return named(one);
    if (!isObject(one)) return one;
    return Object.fromEntries(Object.entries(one).map(([key, each]) => [named(key), each]));
  });
  const text = Bun.YAML.stringify(plain, null, 2);
  return `${text.replaceAll(new RegExp(`quoted_text_${nonce}_(\\d+)`, "g"), (_name, index: string) => quoted[Number(index)] ?? "")}\n`;
}
