// Text that PostgreSQL cannot store. It refuses U+0000, and Bun sends a lone surrogate as U+FFFD. SQLite stores both, so they
// are written with an escape character, which is escaped itself. Equal texts stay equal.
import type { SqlValue } from "../port";

const ESCAPE = "\uE000";
const NEEDS_ESCAPE = /[\0\uE000\uD800-\uDFFF]/;
const ESCAPED = /\uE000([0-9a-f]{4})/g;

export function encodeText(text: string): string {
  if (!NEEDS_ESCAPE.test(text)) return text;
  let encoded = "";
  // Iterates code points, so that a surrogate in it is a lone one.
  for (const character of text) {
    const needed = character.length === 1 && NEEDS_ESCAPE.test(character);
    encoded += needed ? ESCAPE + character.charCodeAt(0).toString(16).padStart(4, "0") : character;
  }
  return encoded;
}

export function decodeText(text: string): string {
  if (!text.includes(ESCAPE)) return text;
  return text.replaceAll(ESCAPED, (_whole, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

export function encodeValue(value: SqlValue): SqlValue {
  return typeof value === "string" ? encodeText(value) : value;
}

/** The values of a row as SQLite returns them: truth values are 0 and 1. Changes the row. */
export function decodeRow(row: Record<string, unknown>): Record<string, unknown> {
  for (const name in row) {
    const value = row[name];
    if (typeof value === "string") row[name] = decodeText(value);
    else if (typeof value === "boolean") row[name] = value ? 1 : 0;
  }
  return row;
}
