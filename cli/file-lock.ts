// A lock that commands of this user hold one after the other. It is that of a database file: the system releases it when the
// process ends, however that happens.
import { Database } from "bun:sqlite";
import { existsSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { keepOwner } from "../src/crypto/durable-file";
import { unavailable } from "../src/errors";

const LOOK_EVERY_MS = 20;
const LONGEST_MS = 60_000;

/** Runs `work` while no other process, and nothing else in this one, holds the lock. Throws `unavailable` after a minute. */
export async function withFileLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  if (!existsSync(file)) {
    writeFileSync(file, "", { mode: 0o600 });
    // A command of root must not keep the folder's owner from the lock.
    keepOwner(file, dirname(file));
  }
  const database = new Database(file, { create: true, readwrite: true });
  try {
    await locked(database, file);
    return await work();
  } finally {
    database.close();
  }
}

async function locked(database: Database, file: string): Promise<void> {
  for (const end = performance.now() + LONGEST_MS; ;) {
    try {
      // No file next to it.
      database.run("PRAGMA journal_mode = MEMORY");
      database.run("BEGIN EXCLUSIVE");
      return;
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (performance.now() > end)
        throw unavailable(`Another command has held ${file} for a minute. Try again when it has ended.`);
      await Bun.sleep(LOOK_EVERY_MS);
    }
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "SQLITE_BUSY";
}
