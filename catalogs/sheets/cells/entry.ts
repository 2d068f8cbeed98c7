// What a value of `data` is, and how text is marked when it is read: one rule for every tool, so that what was read can
// be written back. `docs/spreadsheet-values.md` describes it.
import { type DateTime, dateTimeOf } from "./date-time";

export type CellValue = string | number | boolean;

export type Entry =
  | { kind: "empty" }
  | { kind: "number"; number: number }
  | { kind: "boolean"; boolean: boolean }
  | { kind: "formula"; formula: string }
  | { kind: "text"; text: string }
  | ({ kind: "date" | "date_time" } & DateTime);

/** The platform blocks these until a person allows them in the file. The tools never do: it cannot be undone. */
export const EXTERNAL_RULE =
  "Formulas with IMAGE, IMPORTDATA, IMPORTFEED, IMPORTHTML, IMPORTRANGE or IMPORTXML show #REF! until the user allows external " +
  "access in the spreadsheet.";

export const VALUE_RULE =
  "Numbers and booleans of JSON stay what they are. Text that starts with `=` is a formula: separate its arguments with `;`, " +
  "which works in every locale. ISO dates and date-times (2026-03-01, 2026-03-01T09:30) become dates. Any other text stays " +
  "text, also `0050`, `1/2`, `+1`, `$5` and `TRUE`. Text that starts with an apostrophe is the text after it. " +
  EXTERNAL_RULE;

/** What a value becomes in a cell. */
export function entryOf(value: CellValue): Entry {
  if (typeof value === "boolean") return { kind: "boolean", boolean: value };
  // JSON has a negative zero, cells have not.
  if (typeof value === "number") return { kind: "number", number: value === 0 ? 0 : value };
  if (isFormula(value)) return { kind: "formula", formula: value };
  if (value.startsWith("'")) return textEntry(value.slice(1));
  const dateTime = dateTimeOf(value);
  if (dateTime === undefined) return textEntry(value);
  return { kind: dateTime.hasTime ? "date_time" : "date", ...dateTime };
}

/** The text of a cell as a value that `entryOf` reads as this text. */
export function markedText(text: string): string {
  const entry = entryOf(text);
  return entry.kind === "text" && entry.text === text ? text : `'${text}`;
}

/** A lone `=` is text, as it is for a person who types it. */
function isFormula(text: string): boolean {
  return text.length > 1 && text.startsWith("=");
}

function textEntry(text: string): Entry {
  return text === "" ? { kind: "empty" } : { kind: "text", text };
}
