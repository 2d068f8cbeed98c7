// Opening a SQLite file: all settings of a connection, and the races of several processes that make the file.
import { Database } from "bun:sqlite";
import { closeSync, openSync } from "node:fs";
import { isBusy } from "./sqlite-steps";

export type Durability = "full" | "normal";

const OPEN_TIMEOUT_MS = 5000;

/** A connection in WAL mode. Makes the file (0600) when it is not there. */
export function open(file: string, durability: "full" | "normal"): Database {
  makePrivate(file);
  const database = new Database(file, { create: true, strict: true });
  try {
    database.run(`PRAGMA busy_timeout=${OPEN_TIMEOUT_MS}`);
    enterWal(database);
    database.run(`PRAGMA synchronous=${durability}`);
    database.run("PRAGMA foreign_keys=ON");
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** A connection that only reads a file that is there, and changes nothing of it. */
export function openReader(file: string): Database {
  const database = new Database(file, { readonly: true, strict: true });
  database.run(`PRAGMA busy_timeout=${OPEN_TIMEOUT_MS}`);
  return database;
}

// SQLite gives the -wal and -shm files the mode that the database has when they are made, so it is 0600 from the first
// byte. Only a new file is opened here: closing a descriptor of a database in use would drop this process's locks.
function makePrivate(file: string): void {
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch {
    // It is there already, or SQLite says next why it cannot be made.
  }
}

// SQLite never waits for the lock when the journal mode changes: two processes that both make the file meet here.
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
