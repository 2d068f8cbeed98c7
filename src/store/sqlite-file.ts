// Opens SQLite files: the settings of a connection, and races between processes that create a file.
import { Database } from "bun:sqlite";
import { closeSync, openSync } from "node:fs";
import { isBusy } from "./sqlite-steps";

export type Durability = "full" | "normal";

const OPEN_TIMEOUT_MS = 5000;

/** A connection in WAL mode. Creates the file (0600) if it does not exist. */
export function open(file: string, durability: "full" | "normal"): Database {
  makePrivate(file);
  const database = new Database(file, { create: true, strict: true });
  try {
    database.run(`PRAGMA busy_timeout=${OPEN_TIMEOUT_MS}`);
    enterWal(database);
    database.run(`PRAGMA synchronous=${durability}`);
    database.run("PRAGMA foreign_keys=ON");
    // Deleted rows and freed pages are overwritten with zeros.
    database.run("PRAGMA secure_delete=ON");
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** A read-only connection to an existing file. */
export function openReader(file: string): Database {
  const database = new Database(file, { readonly: true, strict: true });
  database.run(`PRAGMA busy_timeout=${OPEN_TIMEOUT_MS}`);
  return database;
}

// SQLite creates the -wal and -shm files with the mode of the database, so the mode must be 0600 from the start. Only a new
// file is opened here: closing a descriptor of a database in use would release the locks of this process.
function makePrivate(file: string): void {
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch {
    // The file exists already, or SQLite reports next why it cannot be created.
  }
}

// SQLite does not wait for the lock when the journal mode changes, so two processes that create the file need retries.
function enterWal(database: Database): void {
  const until = performance.now() + OPEN_TIMEOUT_MS;
  for (;;) {
    try {
      database.run("PRAGMA journal_mode=WAL");
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() > until) throw error;
      Bun.sleepSync(5);
    }
  }
}
