// The databases in the data folder: opened, or refused with one line that names folder or file.
import { accessSync, chmodSync, constants, existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { configurationError, RuntimeError } from "./errors";
import { executionLogMigrations, mainMigrations, type SqliteOptions, type Store } from "./store";

// Folder and files are the operator's: what the system says about them stops the start with one line.
export async function openStores(
  folder: string,
  openStore: (options: SqliteOptions) => Store,
): Promise<{ store: Store; logStore: Store }> {
  let store: Store | undefined;
  try {
    keepPrivate(folder);
    const [main, file] = [join(folder, "runtime.db"), join(folder, "executions.db")];
    for (const each of [main, file]) if (existsSync(each)) accessSync(each, constants.R_OK | constants.W_OK);
    store = openStore({ file: main, migrations: mainMigrations });
    const logStore = openStore({ file, migrations: executionLogMigrations, durability: "normal" });
    return { store, logStore };
  } catch (error) {
    await store?.close();
    throw error instanceof RuntimeError ? error : unusable(folder, error);
  }
}

/** Runs `work` and reports an error of the database engine in one line: a full disk shows at the first write only. */
export async function withDatabaseErrors<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isOfTheEngine =
      error instanceof Error && "code" in error && String(error.code).startsWith("SQLITE_");
    throw isOfTheEngine ? unusable(folder, error) : error;
  }
}

function unusable(folder: string, error: unknown): RuntimeError {
  const reason = error instanceof Error ? error.message : "unknown reason";
  return configurationError(
    `The database in ${folder} cannot be used: ${reason}. Check its rights and the disk, or set data_dir (RUNTIME_DATA_DIR).`,
    { cause: error },
  );
}

// Nobody else's. The owner's own bits stay: a folder that was made read-only is meant to be.
function keepPrivate(folder: string): void {
  const { mode } = statSync(folder);
  if ((mode & 0o077) !== 0) chmodSync(folder, mode & 0o700);
}
