// Opens stores on PostgreSQL for tests: each data folder has its own schemas, named as the product names them.
import { basename, dirname } from "node:path";
import { type SqliteOptions, type Store } from "../../src/store";
import { connectorOf } from "../../src/store/postgres/connector";
import { openPostgres } from "../../src/store/postgres/postgres";

/** The database of the tests; undefined: they run on SQLite. */
export const TEST_DATABASE =
  process.env["RUNTIME_TEST_DATABASE"] === "postgres" ? process.env["RUNTIME_TEST_DATABASE_URL"] : undefined;

export function openOnPostgres({ file, migrations, durability = "full" }: SqliteOptions, url: string): Store {
  const connector = connectorOf({ url, preparedStatements: true, applicationName: "runtime test" });
  const schema = schemaOf(dirname(file)) + (SUFFIXES[basename(file)] ?? `_${nameOf(basename(file))}`);
  const instance = crypto.randomUUID();
  return openPostgres({ connector, schema, migrations, instance, durability, connections: 3 });
}

const SUFFIXES: Readonly<Record<string, string>> = { "runtime.db": "", "executions.db": "_executions" };

const nameOf = (text: string): string => Bun.hash(text).toString(36);
const schemaOf = (folder: string): string => `t${nameOf(folder)}`;

/** The environment of a process that opens the same database as this one with this data folder. */
export function sameDatabase(folder: string): Record<string, string> {
  if (TEST_DATABASE === undefined) return {};
  return { RUNTIME_DATABASE_URL: TEST_DATABASE, RUNTIME_DATABASE_SCHEMA: schemaOf(folder) };
}
