// The files that SQLite keeps next to a database: its logs, and their index.
import { statSync } from "node:fs";

/** Files with changes that are not in the database file yet. */
const LOGS = ["-wal", "-journal"];
const COMPANIONS = [...LOGS, "-shm"];

/** Paths of files next to where a database is or was; they belong to it and to no other. */
export function companionsOf(file: string): string[] {
  return COMPANIONS.map((suffix) => `${file}${suffix}`).filter((path) => sizeOf(path) !== undefined);
}

/**
 * Logs whose database file is missing. SQLite deletes them when it creates a database of this name, and with them changes that
 * were acknowledged.
 */
export function logsWithoutDatabase(file: string): string[] {
  // The logs first: a process that creates the database creates its file before them.
  const logs = LOGS.map((suffix) => `${file}${suffix}`).filter((path) => (sizeOf(path) ?? 0) > 0);
  return sizeOf(file) === undefined ? logs : [];
}

function sizeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size;
}
