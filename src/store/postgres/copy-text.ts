// Rows in the text format of COPY (PostgreSQL manual, COPY, "Text Format"), exactly as the server writes them.
import type { SqlValue } from "../port";
import { encodeText } from "./text";

const SPECIAL = /[\\\b\f\n\r\t\v]/;
const EACH_SPECIAL = /[\\\b\f\n\r\t\v]/g;
const ESCAPES: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
};

/** A row without the end of its line. */
export function copyLine(row: Readonly<Record<string, SqlValue>>, columns: readonly string[]): string {
  let line = "";
  for (const [index, column] of columns.entries())
    line += (index === 0 ? "" : "\t") + fieldOf(row[column] ?? null);
  return line;
}

function fieldOf(value: SqlValue): string {
  if (value === null) return "\\N";
  if (typeof value === "number") return numberText(value);
  const text = encodeText(value);
  return SPECIAL.test(text) ? text.replaceAll(EACH_SPECIAL, (each) => ESCAPES[each] ?? each) : text;
}

/** The server writes a double with an exponent below 1e-4 and from 1e15 on, JavaScript below 1e-6 and from 1e21 on. */
function numberText(value: number): string {
  const size = Math.abs(value);
  if (size === 0 || !Number.isFinite(size) || (size >= 1e-4 && size < 1e15)) return String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
}
