// Opens the databases: PostgreSQL if `database.url` is set, else the files in the data folder.
import type { Log } from "./base";
import type { Config } from "./config";
import { openStores } from "./data-folder";
import { openSqlite, type SqliteOptions, type Store } from "./store";
import { openPostgresStores } from "./open-postgres";

export interface OpenStores {
  /** The records. */
  store: Store;
  /** The execution log. */
  logStore: Store;
}

export interface Opening {
  /** Replaces the engine, for tests. */
  openStore: ((options: SqliteOptions) => Store) | undefined;
  instance: string;
  log: Log;
  /** False: files of an older version are refused with `PendingMigration`. */
  mayMigrate: boolean;
}

/** Throws `configuration` with a one-line reason, and `PendingMigration`. */
export async function openDatabases(
  config: Config,
  folder: string,
  { openStore, instance, log, mayMigrate }: Opening,
): Promise<OpenStores> {
  const database = config.database();
  if (database === undefined || openStore !== undefined)
    return openStores(folder, openStore ?? openSqlite, { log, mayMigrate });
  return openPostgresStores(database, { instance, log });
}
