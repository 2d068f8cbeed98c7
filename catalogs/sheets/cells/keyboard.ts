// Values in the form in which the platform reads them as if a person had typed them. Only formulas, dates and text are
// typed; numbers and booleans are sent as JSON, which no locale reads otherwise.
import { MAX_TEXT } from "../limits";
import { type CellValue, entryOf } from "./entry";
import { keepsValue } from "../../upstream/number";

/** How text starts that the platform reads as a number, a date, a formula or an apostrophe. */
const READ_OTHERWISE = /^[\s\d=+\-@'.,(%\p{Sc}]/u;

/**
 * What to send for a value; undefined for text that cannot be sent: it fills the cell completely, and would need an
 * apostrophe in front.
 */
export function keystrokesOf(value: CellValue): CellValue | undefined {
  const entry = entryOf(value);
  switch (entry.kind) {
    case "empty":
      return "";
    case "number":
      return entry.number;
    case "boolean":
      return entry.boolean;
    case "formula":
      return entry.formula;
    case "text":
      return asText(entry.text);
    case "date":
    case "date_time":
      return entry.typed;
  }
}

/**
 * What to send for a value that is written as if it were typed. A plain decimal is sent as a number: where the comma is the
 * decimal separator, `1.5` would become a date and `0.25` text.
 */
export function typedValue(value: string): string | number {
  const number = DECIMAL.test(value) ? Number(value) : NaN;
  return keepsValue(value, number) ? number : value;
}

const DECIMAL = /^-?(?:0|[1-9]\d*)\.\d+$/;

/**
 * Whether text that was typed is certainly this text now: it shows as it was typed, and does not start like something else.
 * A word in capitals may be the boolean of a locale, which shows the same.
 */
export function isCertainlyText(typed: string, shown: unknown): boolean {
  return shown === typed && !READ_OTHERWISE.test(typed) && !/^\p{Lu}+$/u.test(typed);
}

/** An apostrophe forces text and is not stored. Numbers, dates and booleans are never as long as a full cell. */
function asText(text: string): string | undefined {
  if (text.length < MAX_TEXT || Array.from(text).length < MAX_TEXT) return `'${text}`;
  return READ_OTHERWISE.test(text) ? undefined : text;
}
