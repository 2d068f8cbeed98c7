// The databases in the bundle: versions, damage, and sizes of their tables. No contents.
import { Database } from "bun:sqlite";
import { statSync } from "node:fs";
import { join } from "node:path";
import { damageOf, executionLogMigrations, mainMigrations, type Migration } from "../store";

const FILES: readonly (readonly [name: string, migrations: readonly Migration[]])[] = [
  ["runtime.db", mainMigrations],
  ["executions.db", executionLogMigrations],
];

export interface DatabaseFacts {
  file: string;
  /** Of the file and of its write-ahead log; undefined: it does not exist. */
  bytes: number | undefined;
  log_bytes: number | undefined;
  /** The newest migration that this program knows. */
  known_schema: number;
  schema?: Tried<number>;
  migrations?: Tried<unknown>;
  page_size?: Tried<unknown>;
  free_pages?: Tried<unknown>;
  /** What is damaged; null: nothing. */
  damage?: Tried<string | null>;
  tables?: Tried<Record<string, Tried<{ rows: number; bytes: number }>>>;
}

/** A value, or why it could not be read. */
type Tried<T> = T | { error: string };

/** Of the databases in a folder, which servers may be using. Never throws. */
export function databaseFacts(folder: string): DatabaseFacts[] {
  return FILES.map(([name, migrations]) => factsOf(join(folder, name), name, migrations));
}

function factsOf(path: string, file: string, migrations: readonly Migration[]): DatabaseFacts {
  const facts = {
    file,
    bytes: sizeOf(path),
    log_bytes: sizeOf(`${path}-wal`),
    known_schema: Math.max(...migrations.map(({ version }) => version)),
  };
  if (facts.bytes === undefined) return facts;
  const damage = tried(() => damageOf(path) ?? null);
  try {
    using database = new Database(path, { readonly: true, strict: true });
    database.run("PRAGMA busy_timeout=5000");
    return { ...facts, damage, ...contentsOf(database) };
  } catch (error) {
    return { ...facts, damage, tables: { error: reasonOf(error) } };
  }
}

function contentsOf(database: Database) {
  const one = (text: string, column: string): Tried<unknown> =>
    tried(() => Object(database.query(text).get())[column]);
  return {
    schema: tried(() => Number(Object(database.query(NEWEST).get())["version"])),
    migrations: tried(() => database.query(MIGRATIONS).all()),
    page_size: one("PRAGMA page_size", "page_size"),
    free_pages: one("PRAGMA freelist_count", "freelist_count"),
    tables: tried(() => tablesOf(database)),
  };
}

const NEWEST = "SELECT MAX(version) AS version FROM schema_migrations";
const MIGRATIONS = "SELECT version, name, applied_at FROM schema_migrations ORDER BY version";
const TABLES =
  "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name";
const BYTES =
  "SELECT SUM(pgsize) AS bytes FROM dbstat WHERE name IN (SELECT name FROM sqlite_schema WHERE tbl_name = ?)";

function tablesOf(database: Database): Record<string, Tried<{ rows: number; bytes: number }>> {
  const tables = database.query<{ name: string }, []>(TABLES).all();
  return Object.fromEntries(
    tables.map(({ name }) => [
      name,
      tried(() => ({
        rows: database.query<{ rows: number }, []>(`SELECT COUNT(*) AS rows FROM "${name}"`).get()?.rows ?? 0,
        bytes: database.query<{ bytes: number | null }, [string]>(BYTES).get(name)?.bytes ?? 0,
      })),
    ]),
  );
}

function tried<T>(read: () => T): Tried<T> {
  try {
    return read();
  } catch (error) {
    return { error: reasonOf(error) };
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : "unknown reason";
}

function sizeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size;
}
