// Copies of a database that is in use, and what a copy contains. Both work on files, without the services.
import { Database } from "bun:sqlite";
import { closeSync, openSync } from "node:fs";
import { openReader } from "./sqlite-file";
import { versionOf } from "./migrate";
import type { Query, SqlValue } from "./port";

/**
 * Writes a consistent copy (as of now) to a new file. Other processes read and write meanwhile. The copy has no free pages,
 * so it contains nothing that was deleted. Blocks this process until it is done.
 */
export function copyDatabase(from: string, to: string): void {
  // SQLite fills an empty file; one that it makes could be read by others.
  closeSync(openSync(to, "wx", 0o600));
  const database = openReader(from);
  try {
    database.query("VACUUM INTO ?").run(to);
  } finally {
    database.close(true);
  }
}

/** Changes a closed database file in one transaction. */
export function changeCopy(
  file: string,
  commands: readonly { statement: Query<never>; params: readonly SqlValue[] }[],
): void {
  const database = new Database(file, { readwrite: true, strict: true });
  try {
    database.run("PRAGMA synchronous=full");
    database.run("PRAGMA foreign_keys=ON");
    database.transaction(() => {
      for (const { statement, params } of commands) database.query(statement.text).run(...params);
    })();
  } finally {
    database.close(true);
  }
}

/** The newest migration of a database that may be in use; 0 for one without tables. */
export function schemaOf(file: string): number {
  const database = openReader(file);
  try {
    return versionOf(database);
  } finally {
    database.close(true);
  }
}

/** A closed database file, read without changing anything next to it. */
export class ClosedDatabase implements Disposable {
  readonly #database: Database;

  /** Throws what SQLite throws for a file that is not a database. */
  constructor(file: string) {
    this.#database = new Database(file, { readonly: true, strict: true });
  }

  /** The newest migration. */
  version(): number {
    return versionOf(this.#database);
  }

  /** What SQLite finds wrong; empty: nothing. */
  faults(): string[] {
    const rows = this.#database.query<{ integrity_check: string }, []>("PRAGMA integrity_check").all();
    return rows.map(({ integrity_check }) => integrity_check).filter((line) => line !== "ok");
  }

  /** Number of rows of each table, by name. */
  counts(): Record<string, number> {
    const tables = this.#database
      .query<{ name: string }, []>(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
      )
      .all();
    const count = (name: string): number =>
      this.#database.query<{ count: number }, []>(`SELECT COUNT(*) AS count FROM "${name}"`).get()?.count ??
      0;
    return Object.fromEntries(tables.map(({ name }) => [name, count(name)]));
  }

  all<Row>(statement: Query<Row>, ...params: SqlValue[]): Row[] {
    return this.#database.query<Row, SqlValue[]>(statement.text).all(...params);
  }

  [Symbol.dispose](): void {
    this.#database.close(true);
  }
}
