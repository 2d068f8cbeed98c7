// Whether there is an installation. Opening one would create it.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Config, DatabaseSettings } from "./config";
import { connectorsOf, logSchemaOf } from "./open-postgres";
import { newestSchema, schemaVersion } from "./store";

/** Tables in PostgreSQL, or files in the data folder. Throws why PostgreSQL cannot be asked. */
export async function isInstalled(config: Config): Promise<boolean> {
  const database = config.database();
  if (database === undefined) return existsSync(join(config.dataFolder(), "runtime.db"));
  return (await schemaVersion(connectorsOf(database).connector, database)) > 0;
}

/** What an upgrade of PostgreSQL would change; undefined: nothing. Numbers of migrations; 0: there are no tables. */
export async function pendingPostgresUpgrade(
  database: DatabaseSettings,
): Promise<{ from: number; to: number } | undefined> {
  const { connector } = connectorsOf(database);
  const from = await schemaVersion(connector, database);
  const log = await schemaVersion(connector, { schema: logSchemaOf(database.schema) });
  const known = newestSchema();
  const isCurrent = from >= known.runtime && log >= known.executions;
  return isCurrent ? undefined : { from, to: known.runtime };
}
