// Only one sandbox uses a folder at a time. The lock is that of a database file: the system releases it when the process
// ends, however that happens.
import { Database } from "bun:sqlite";
import { existsSync, writeFileSync } from "node:fs";
import { conflict } from "../../src/errors";
import { notWritable, type SandboxFolder } from "./folder";

/** Throws `conflict` if a sandbox runs in the folder. */
export function lockFolder({ path, lockFile }: SandboxFolder): Disposable {
  const database = opened(path, lockFile);
  try {
    // No file next to it.
    database.run("PRAGMA journal_mode = MEMORY");
    database.run("BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (error instanceof Error && "code" in error && error.code !== "SQLITE_BUSY")
      throw notWritable(path, error);
    throw conflict(
      `The sandbox in ${path} is running. Stop it first (Ctrl-C), or choose another folder with --data-dir and another port with --port.`,
    );
  }
  return { [Symbol.dispose]: () => database.close() };
}

function opened(path: string, file: string): Database {
  try {
    if (!existsSync(file)) writeFileSync(file, "", { mode: 0o600 });
    return new Database(file, { create: true, readwrite: true });
  } catch (error) {
    throw notWritable(path, error);
  }
}
