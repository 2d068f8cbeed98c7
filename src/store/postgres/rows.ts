// The rows of a table as SQLite and PostgreSQL are compared and copied.
import type { StoppedDatabase, StoppedTable } from "../stopped";
import { copyLine } from "./copy-text";
import { ORDERED } from "./schema";

/** Tables whose rows have an order keep the number of each. */
export function columnsOf({ name, columns }: StoppedTable): string[] {
  return ORDERED.has(name) ? ["rowid", ...columns] : [...columns];
}

/** The rows in SQLite as lines of COPY. */
export function* linesOf(
  source: StoppedDatabase,
  table: StoppedTable,
  columns: readonly string[],
): Generator<string> {
  for (const row of source.rows(table, columns)) yield copyLine(row, columns);
}
