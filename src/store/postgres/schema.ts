// The tables on PostgreSQL. They are those of SQLite, translated: a new database gets the tables of the newest version at
// once, an older one the statements of the migrations that it lacks.
import { Database } from "bun:sqlite";
import { type Migration, migrate } from "../migrate";
import { type Dialect, rewritten } from "./dialect";
import { quoted } from "./names";

/** The code with which a trigger refuses a value that was sealed with a deleted data key. */
export const DROPPED_KEY = "RT001";

/** Tables whose rows are listed in the order in which they were added: they have a column `rowid`. */
export const ORDERED = new Set(["data_keys", "revocations", "executions"]);

/** The statements that make the tables of the newest migration, in an empty schema. */
export function newTables(migrations: readonly Migration[], dialect: Dialect): string[] {
  return finished(migrations)
    .filter((sql) => !/^CREATE TABLE "?schema_migrations"?\b/.test(sql))
    .flatMap((sql) => translated(sql, dialect));
}

/** The names of the tables of the newest migration. */
export function tablesOf(migrations: readonly Migration[]): string[] {
  return finished(migrations).flatMap((sql) => /^CREATE TABLE "?(\w+)"?/.exec(sql)?.[1] ?? []);
}

/** The rows that the migrations insert: the counters of the generations. */
export function kindsOf(migrations: readonly Migration[]): string[] {
  using database = inMemory(migrations);
  return database
    .query<{ kind: string }, []>("SELECT kind FROM generations ORDER BY kind")
    .all()
    .map(({ kind }) => kind);
}

function finished(migrations: readonly Migration[]): string[] {
  using database = inMemory(migrations);
  return database
    .query<{ sql: string }, []>("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid")
    .all()
    .map(({ sql }) => sql);
}

function inMemory(migrations: readonly Migration[]): Database {
  const database = new Database(":memory:", { strict: true });
  migrate(database, migrations);
  return database;
}

/** A statement of a migration for PostgreSQL. */
export function translated(sql: string, dialect: Dialect): string[] {
  if (/^CREATE TRIGGER\b/.test(sql)) return trigger(sql, dialect);
  if (/^(CREATE TABLE|ALTER TABLE)\b/.test(sql)) return [table(sql, dialect)];
  return [dialect.qualify(rewritten(sql))];
}

function table(sql: string, dialect: Dialect): string {
  const name = /^CREATE TABLE "?(\w+)"?/.exec(sql)?.[1] ?? "";
  const order = ORDERED.has(name) ? "rowid bigint GENERATED ALWAYS AS IDENTITY, " : "";
  const typed = sql
    .replace(/\)\s*STRICT(?:, WITHOUT ROWID)?$/, ")")
    .replaceAll(/\b(INTEGER|REAL)\b/g, "double precision")
    .replaceAll(/\bTEXT\b/g, 'text COLLATE "C"')
    .replace("(", `(${order}`);
  return dialect.qualify(typed);
}

const TRIGGER =
  /^CREATE TRIGGER (\w+) (BEFORE|AFTER) (INSERT|DELETE|UPDATE(?: OF [\w, ]+?)?) ON (\w+)(?:\s+WHEN\s+([\s\S]+?))?\s+BEGIN\s+([\s\S]+?);\s*END$/;

function trigger(sql: string, dialect: Dialect): string[] {
  const found = TRIGGER.exec(sql);
  if (found === null) throw new Error(`a trigger that PostgreSQL does not have: ${sql.slice(0, 60)}`);
  const [, name = "", time = "", event = "", on = "", condition, body = ""] = found;
  const [schema = ""] = dialect.qualify(`FROM ${on}`).slice("FROM ".length).split(".");
  const work = expressions(body, dialect);
  const guarded =
    condition === undefined ? work : `IF ${expressions(condition, dialect)} THEN ${work}; END IF`;
  const row = event === "DELETE" ? "OLD" : "NEW";
  const definition = `BEGIN ${guarded}; RETURN ${row}; END`;
  return [
    `CREATE FUNCTION ${schema}.${name}() RETURNS trigger LANGUAGE plpgsql AS ${quoted(definition)}`,
    `CREATE TRIGGER ${name} ${time} ${event} ON ${schema}.${on} FOR EACH ROW EXECUTE FUNCTION ${schema}.${name}()`,
  ];
}

function expressions(text: string, dialect: Dialect): string {
  return dialect.qualify(
    text
      .replaceAll(/substr\((substr\([\w.]+, 4\)), 1, instr\(\1, '\.'\) - 1\)/g, "split_part($1, '.', 1)")
      .replaceAll("IS NOT OLD.", "IS DISTINCT FROM OLD.")
      .replaceAll(/UPDATE SET value = value/g, "UPDATE SET value = counters.value")
      .replaceAll(/SELECT RAISE\(ABORT, ('[^']+')\)/g, `RAISE EXCEPTION $1 USING ERRCODE = '${DROPPED_KEY}'`),
  );
}
