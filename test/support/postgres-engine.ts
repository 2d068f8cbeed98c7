// Opens stores on PostgreSQL for tests: each data folder has its own schemas, named as the product names them.
import { basename, dirname } from "node:path";
import { type SqliteOptions, type Store } from "../../src/store";
import { type Connector, connectorOf } from "../../src/store/postgres/connector";
import { openPostgres } from "../../src/store/postgres/postgres";

/** The database of the tests; undefined: they run on SQLite. */
export const TEST_DATABASE =
  process.env["RUNTIME_TEST_DATABASE"] === "postgres" ? process.env["RUNTIME_TEST_DATABASE_URL"] : undefined;

interface Way {
  /** For LISTEN; default: the URL of the database. */
  listenUrl?: string;
  preparedStatements?: boolean;
}

export function openOnPostgres(
  { file, migrations, durability = "full" }: SqliteOptions,
  url: string,
  { listenUrl = url, preparedStatements = true }: Way = {},
): Store {
  const to = (address: string): Connector =>
    connectorOf({ url: address, preparedStatements, applicationName: "runtime test" });
  const schema = schemaOfFile(file);
  const connectors = { connector: to(url), listener: to(listenUrl) };
  const instance = crypto.randomUUID();
  return openPostgres({ ...connectors, schema, migrations, instance, durability, connections: 3 });
}

const SUFFIXES: Readonly<Record<string, string>> = { "runtime.db": "", "executions.db": "_executions" };

const nameOf = (text: string): string => Bun.hash(text).toString(36);
const schemaOf = (folder: string): string => `t${nameOf(folder)}`;

/** The schema that stands for the file of a database. */
export function schemaOfFile(file: string): string {
  return schemaOf(dirname(file)) + (SUFFIXES[basename(file)] ?? `_${nameOf(basename(file))}`);
}

/** The environment of a process that opens the same database as this one with this data folder. */
export function sameDatabase(folder: string): Record<string, string> {
  if (TEST_DATABASE === undefined) return {};
  return { RUNTIME_DATABASE_URL: TEST_DATABASE, RUNTIME_DATABASE_SCHEMA: schemaOf(folder) };
}
