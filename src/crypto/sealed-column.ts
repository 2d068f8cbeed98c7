// Columns with sealed values, so that a rotation of the data key can seal their values again.
import { type Kind, query, type Query, type SqlValue } from "../store";
import type { Place } from "./place";

export interface SealedColumn {
  /** Up to 200 rows of a project after a position, in the order of `keys`, whose value does not match a LIKE pattern. */
  list: Query<SealedRow>;
  /** Replaces the value if it has not changed since it was read. */
  replace: Query<never>;
  /** The number of rows of a project that are sealed with a data key. */
  count: Query<{ count: number }>;
  keys: readonly string[];
  /** Those of `keys` that are numbers. */
  numbers: readonly string[];
  /** The kind of cache to invalidate after values were sealed again. */
  kind: Kind | undefined;
  place(row: SealedRow): Place;
}

export type SealedRow = Readonly<Record<string, SqlValue>>;

/**
 * All names must be constants. `keys` are the columns that, with `project_id`, identify a row; the first one is text, and
 * `numbers` are those that are not.
 */
export function sealedColumn(options: {
  table: string;
  column: string;
  keys: readonly string[];
  numbers?: readonly string[];
  kind?: Kind;
  place: (row: SealedRow) => Place;
}): SealedColumn {
  const { table, column, keys, numbers = [], kind, place } = options;
  const names = keys.join(", ");
  const where = ["project_id", ...keys, column].map((name) => `${name} = ?`).join(" AND ");
  return {
    list: query(
      `SELECT ${names}, ${column} AS sealed FROM ${table} WHERE project_id = ? AND ${column} NOT LIKE ? ` +
        `AND (${names}) > (${keys.map(() => "?").join(", ")}) ORDER BY ${names} LIMIT 200`,
    ),
    replace: query(`UPDATE ${table} SET ${column} = ? WHERE ${where}`),
    count: query(`SELECT COUNT(*) AS count FROM ${table} WHERE project_id = ? AND ${column} LIKE ?`),
    keys,
    numbers,
    kind,
    place,
  };
}

/** The position of a row in a list, or the one before all rows: no text is empty. */
export function positionOf({ keys, numbers }: SealedColumn, row?: SealedRow): SqlValue[] {
  return keys.map((key) => row?.[key] ?? (numbers.includes(key) ? 0 : ""));
}

/** A LIKE pattern for the values that were sealed with a data key. */
export function sealedBy(dataKeyId: string): string {
  return `v1.${dataKeyId}.%`;
}

/** The id of the data key that a value was sealed with. */
export function dataKeyOf(sealed: string): string {
  return sealed.split(".")[1] ?? "";
}
