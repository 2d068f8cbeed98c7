// Opens stores on PostgreSQL for tests: each path of a file has its own schema.
import { type SqliteOptions, type Store } from "../../src/store";
import { connectorOf } from "../../src/store/postgres/connector";
import { openPostgres } from "../../src/store/postgres/postgres";

/** The database of the tests; undefined: they run on SQLite. */
export const TEST_DATABASE =
  process.env["RUNTIME_TEST_DATABASE"] === "postgres" ? process.env["RUNTIME_TEST_DATABASE_URL"] : undefined;

export function openOnPostgres({ file, migrations, durability = "full" }: SqliteOptions, url: string): Store {
  const connector = connectorOf({ url, preparedStatements: true, applicationName: "runtime test" });
  const schema = `t${Bun.hash(file).toString(36)}`;
  const instance = crypto.randomUUID();
  return openPostgres({ connector, schema, migrations, instance, durability, connections: 3 });
}
