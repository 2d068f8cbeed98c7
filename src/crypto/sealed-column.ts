// Where sealed values of an area stand, so that a rotation of the data key can seal them anew.
import { type Kind, query, type Query, type SqlValue } from "../store";
import type { Place } from "./keyring";

export interface SealedColumn {
  /** Rows of a project whose value names another data key than the given one (a LIKE pattern), from an offset; at most 200. */
  list: Query<SealedRow>;
  /** Sets the value where it still is what was read. */
  replace: Query<never>;
  /** Rows of a project whose value names the given data key. */
  count: Query<{ count: number }>;
  keys: readonly string[];
  /** What is cached of these rows, and must not be once they are sealed anew. */
  kind: Kind | undefined;
  place(row: SealedRow): Place;
}

export type SealedRow = Readonly<Record<string, SqlValue>>;

/** Describes a column. All names are fixed texts of ours; `keys` identify a row beside its `project_id`. */
export function sealedColumn(options: {
  table: string;
  column: string;
  keys: readonly string[];
  kind?: Kind;
  place: (row: SealedRow) => Place;
}): SealedColumn {
  const { table, column, keys, kind, place } = options;
  const where = ["project_id", ...keys, column].map((name) => `${name} = ?`).join(" AND ");
  return {
    list: query(
      `SELECT ${keys.join(", ")}, ${column} AS sealed FROM ${table} ` +
        `WHERE project_id = ? AND ${column} NOT LIKE ? ORDER BY ${keys.join(", ")} LIMIT 200 OFFSET ?`,
    ),
    replace: query(`UPDATE ${table} SET ${column} = ? WHERE ${where}`),
    count: query(`SELECT COUNT(*) AS count FROM ${table} WHERE project_id = ? AND ${column} LIKE ?`),
    keys,
    kind,
    place,
  };
}

/** What a value that was sealed with this data key looks like, as a LIKE pattern. */
export function sealedBy(dataKeyId: string): string {
  return `v1.${dataKeyId}.%`;
}

/** The data key that a value was sealed with. */
export function dataKeyOf(sealed: string): string {
  return sealed.split(".")[1] ?? "";
}
