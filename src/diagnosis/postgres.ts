// The database in the bundle if it is PostgreSQL: versions and sizes of tables. No contents, and no names of hosts.
import type { DatabaseSettings } from "../config";
import { connectorsOf, logSchemaOf } from "../open-postgres";
import { newestSchema, serverFacts, tableFacts } from "../store";

export async function postgresFacts(database: DatabaseSettings): Promise<object> {
  const { connector } = connectorsOf(database);
  const schemas = [database.schema, logSchemaOf(database.schema)];
  const { host: _host, versions, ...server } = await serverFacts(connector, schemas);
  const known = newestSchema();
  const [main = "", log = ""] = schemas;
  return {
    engine: "postgresql",
    server,
    runtime: { schema: versions[0], known_schema: known.runtime, tables: await tableFacts(connector, main) },
    executions: {
      schema: versions[1],
      known_schema: known.executions,
      tables: await tableFacts(connector, log),
    },
  };
}
