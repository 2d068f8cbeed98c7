// A lock on a file for as long as a process lives. It is that of a database file: the system releases it when the process ends,
// however that happens.
import { Database } from "bun:sqlite";
import { closeSync, openSync } from "node:fs";
import { isBusy } from "./sqlite-steps";

/** Locks a new file (0600). Throws if it exists. */
export function lockNew(file: string): Disposable {
  closeSync(openSync(file, "wx", 0o600));
  const lock = lockExisting(file);
  if (lock === undefined) throw new Error(`${file} was locked by another process`);
  return lock;
}

/** Locks an existing file; undefined if a living process, perhaps this one, holds it. Throws for a file that cannot be opened. */
export function lockExisting(file: string): Disposable | undefined {
  const database = new Database(file, { readwrite: true, create: false });
  try {
    // No file next to it.
    database.run("PRAGMA journal_mode = MEMORY");
    database.run("BEGIN EXCLUSIVE");
    return { [Symbol.dispose]: () => database.close() };
  } catch (error) {
    database.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
}
