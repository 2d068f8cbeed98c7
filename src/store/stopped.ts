// A database file that no process uses, and that none can use while this is open.
import { Database } from "bun:sqlite";
import { conflict } from "../errors";
import { versionOf } from "./migrate";
import type { Query, Reader, SqlValue } from "./port";
import { isBusy } from "./sqlite-steps";

const WAIT_MS = 2000;
const TABLES =
  "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid";
const HAS_NO_ROWID =
  "SELECT name FROM sqlite_schema WHERE type = 'table' AND name = ? AND sql LIKE '%WITHOUT ROWID'";

export interface StoppedTable {
  name: string;
  columns: readonly string[];
  hasRowid: boolean;
}

export class StoppedDatabase implements Reader, Disposable {
  readonly #database: Database;

  /** Throws `conflict` if another process has the file open. `exclusive: false` only reads it, also while it is used. */
  constructor(file: string, { exclusive = true } = {}) {
    this.#database = new Database(
      file,
      exclusive ? { readwrite: true, strict: true } : { readonly: true, strict: true },
    );
    try {
      this.#database.run(`PRAGMA busy_timeout=${WAIT_MS}`);
      if (exclusive) this.#seize(file);
      else this.#database.run("BEGIN");
    } catch (error) {
      this[Symbol.dispose]();
      throw error;
    }
  }

  // Each connection to a file in WAL mode holds a shared lock for as long as it is open, so this fails if there is another.
  #seize(file: string): void {
    try {
      this.#database.run("PRAGMA locking_mode=EXCLUSIVE");
      this.#database.run("BEGIN EXCLUSIVE");
    } catch (error) {
      if (!isBusy(error)) throw error;
      throw conflict(
        `${file} is used by a server or another process. Stop all servers and commands that use it, then run this again.`,
        { cause: error },
      );
    }
  }

  version(): number {
    return versionOf(this.#database);
  }

  /** A table before those that refer to it. */
  tables(): StoppedTable[] {
    return this.#database
      .query<{ name: string }, []>(TABLES)
      .all()
      .map(({ name }) => ({
        name,
        columns: this.#database
          .query<{ name: string }, []>(`PRAGMA table_info("${name}")`)
          .all()
          .map((column) => column.name),
        hasRowid: this.#database.query(HAS_NO_ROWID).get(name) === null,
      }));
  }

  /** The columns of the primary key. */
  keyOf(table: string): string[] {
    return this.#database
      .query<{ name: string; pk: number }, []>(`PRAGMA table_info("${table}")`)
      .all()
      .filter(({ pk }) => pk > 0)
      .toSorted((one, other) => one.pk - other.pk)
      .map(({ name }) => name);
  }

  count(table: string): number {
    return (
      this.#database.query<{ count: number }, []>(`SELECT COUNT(*) AS count FROM "${table}"`).get()?.count ??
      0
    );
  }

  /** One after the other, without loading all of them. `rowid` may be one of the columns. */
  rows({ name, hasRowid }: StoppedTable, columns: readonly string[]): Iterable<Record<string, SqlValue>> {
    const list = columns.map((column) => `"${column}"`).join(", ");
    return this.#database
      .query<Record<string, SqlValue>, []>(
        `SELECT ${list} FROM "${name}"${hasRowid ? " ORDER BY rowid" : ""}`,
      )
      .iterate();
  }

  async get<Row>({ text }: Query<Row>, ...params: SqlValue[]): Promise<Row | undefined> {
    return this.#database.query<Row, SqlValue[]>(text).get(...params) ?? undefined;
  }

  async all<Row>({ text }: Query<Row>, ...params: SqlValue[]): Promise<Row[]> {
    return this.#database.query<Row, SqlValue[]>(text).all(...params);
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}
