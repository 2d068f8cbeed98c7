// Opens the databases in the data folder, or fails with one line that names the folder.
import { accessSync, chmodSync, constants, existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Log } from "./base";
import { configurationError, RuntimeError } from "./errors";
import {
  executionLogMigrations,
  logsWithoutDatabase,
  mainMigrations,
  PendingMigration,
  type SqliteOptions,
  type Store,
} from "./store";

/**
 * Throws `configuration` with a one-line reason for any error of the file system or the database, and `PendingMigration` if a
 * database is older and may not be migrated.
 */
export async function openStores(
  folder: string,
  openStore: (options: SqliteOptions) => Store,
  { log, mayMigrate = true }: { log: Log; mayMigrate?: boolean },
): Promise<{ store: Store; logStore: Store }> {
  let store: Store | undefined;
  try {
    keepPrivate(folder);
    const [main, file] = [join(folder, "runtime.db"), join(folder, "executions.db")];
    for (const each of [main, file]) refuseLostDatabase(each);
    for (const each of [main, file]) if (existsSync(each)) accessSync(each, constants.R_OK | constants.W_OK);
    store = openStore({ file: main, migrations: mainMigrations, mayMigrate, log });
    const logStore = openStore({
      file,
      migrations: executionLogMigrations,
      durability: "normal",
      mayMigrate,
      log,
    });
    return { store, logStore };
  } catch (error) {
    await store?.close();
    const isTold = error instanceof RuntimeError || error instanceof PendingMigration;
    throw isTold ? error : unusable(folder, error);
  }
}

// A database that was moved or deleted without its log may be put back. A new one in its place would lose the log.
function refuseLostDatabase(file: string): void {
  const logs = logsWithoutDatabase(file);
  if (logs.length === 0) return;
  throw configurationError(
    `${file} does not exist, but ${logs.join(" and ")} of it does, with changes that it does not have yet. Put the database ` +
      "back, or move these files away to begin without them. They always belong together.",
  );
}

/** Runs `work` and converts database errors likewise: a full disk only shows with the first write. */
export async function withDatabaseErrors<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isDatabaseError =
      error instanceof Error && "code" in error && String(error.code).startsWith("SQLITE_");
    throw isDatabaseError ? unusable(folder, error) : error;
  }
}

function unusable(folder: string, error: unknown): RuntimeError {
  const reason = error instanceof Error ? error.message : "unknown reason";
  return configurationError(
    `The database in ${folder} cannot be used: ${reason}. Check its permissions and the disk, or set data_dir (RUNTIME_DATA_DIR).`,
    { cause: error },
  );
}

/** The databases with their logs, backups, and the folders of programs; `lost+found` is at the top of a file system. */
const OURS = /^(?:(?:runtime|executions)\.db.*|backups|lost\+found|workers)$/;

// Removes the permissions of other users. Those of the owner do not change: a read-only folder may be intended. A folder
// with other files may be one like /tmp, named by mistake; the databases are private in any case.
function keepPrivate(folder: string): void {
  if (readdirSync(folder).some((name) => !OURS.test(name))) return;
  const { mode, uid } = statSync(folder);
  // Only its owner can; doctor names the folder of another.
  if ((mode & 0o077) !== 0 && uid === process.getuid?.()) chmodSync(folder, mode & 0o700);
}
