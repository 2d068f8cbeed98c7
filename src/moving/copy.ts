// Moves a stopped installation from the files in its data folder to PostgreSQL, and compares the two.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { verifyUnsigned } from "../audit";
import { backUpBeforeUpgrade } from "../backup";
import type { Log } from "../base";
import type { Config, DatabaseSettings } from "../config";
import { namedRoot } from "../crypto";
import { openStores } from "../data-folder";
import { configurationError, internalError } from "../errors";
import { connectorsOf, logSchemaOf } from "../open-postgres";
import {
  type CopiedTable,
  copyToPostgres,
  executionLogMigrations,
  installationOf,
  type Installation,
  mainMigrations,
  newestSchema,
  openSqlite,
  serverFacts,
  type Reader,
  StoppedDatabase,
} from "../store";

export interface Moved {
  /** The data folder. */
  from: string;
  /** Hosts, database and user. */
  to: string;
  schema: string;
  tables: CopiedTable[];
  rows: number;
  /** Verified in the copy. */
  audit: { chains: number; rows: number };
  /** Tables that the user of the servers may not read and write yet. */
  forbidden_tables: number;
  /** The root key that opens what is sealed. It is not copied. */
  root_key_id: string;
}

/** The copy is complete also if the user of the servers cannot connect yet. */
const NO_FACTS = { forbiddenTables: 0 };

export interface MoveRequest {
  config: Config;
  database: DatabaseSettings;
  log: Log;
  progress(table: string, rows: number, total: number): void;
}

/** Changes nothing in the data folder but an older schema. Throws what `copyToPostgres` and a start throw. */
export async function moveToPostgres({ config, database, log, progress }: MoveRequest): Promise<Moved> {
  const folder = config.dataFolder();
  const { connector, migrator } = connectorsOf(database);
  const installations = installationsOf(database.schema);
  await upgraded(config, folder, log);
  using main = new StoppedDatabase(join(folder, "runtime.db"));
  using executions = new StoppedDatabase(join(folder, "executions.db"));
  const root = (await namedRoot(main)) ?? "";
  let audit = { chains: 0, rows: 0 };
  const tables = await copyToPostgres({
    connector: migrator,
    parts: [
      { name: "runtime", source: main, ...installations.runtime },
      { name: "executions", source: executions, ...installations.executions },
    ],
    progress,
    verify: async (copies) => {
      progress("audit trail", 0, 0);
      audit = await verified(copies.get("runtime") ?? main, main);
    },
  });
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const { schema } = database;
  const { forbiddenTables } = await serverFacts(connector, [schema, logSchemaOf(schema)]).catch(
    () => NO_FACTS,
  );
  return {
    from: folder,
    to: migrator.shown,
    schema,
    tables,
    rows,
    audit,
    forbidden_tables: forbiddenTables,
    root_key_id: root,
  };
}

export function installationsOf(schema: string): Record<"runtime" | "executions", Installation> {
  return {
    runtime: installationOf(schema, mainMigrations),
    executions: installationOf(logSchemaOf(schema), executionLogMigrations),
  };
}

/** Upgrades the files as a start would, but only if nothing uses them. */
async function upgraded(config: Config, folder: string, log: Log): Promise<void> {
  const [main, executions] = [join(folder, "runtime.db"), join(folder, "executions.db")];
  if (!existsSync(main))
    throw configurationError(
      `${folder} contains no installation. Name the folder with --data-dir, or set data_dir.`,
    );
  const known = newestSchema();
  if (existsSync(executions)) {
    using one = new StoppedDatabase(main);
    using other = new StoppedDatabase(executions);
    if (one.version() === known.runtime && other.version() === known.executions) return;
  }
  const { "backup.before_upgrade": isWanted, "backup.recipients": recipients } = config.settings;
  const [backups, settings] = [config.backupFolder(), config.explicitSettings()];
  if (isWanted) await backUpBeforeUpgrade({ folder, backups, recipients, settings, log });
  const { store, logStore } = await openStores(folder, openSqlite, { log });
  await logStore.close();
  await store.close();
}

/** A trail that was damaged before is copied as it is. */
async function verified(copy: Reader, source: Reader): Promise<{ chains: number; rows: number }> {
  const found = await verifyUnsigned(copy);
  if (found.problem_count > 0) {
    const before = await verifyUnsigned(source);
    if (!Bun.deepEquals(found, before))
      throw internalError(
        "The audit trail of the copy differs from that of the data folder. Nothing was kept.",
      );
  }
  return { chains: found.chains.length, rows: found.chains.reduce((sum, { rows }) => sum + rows, 0) };
}
