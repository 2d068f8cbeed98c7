// The connection of a simulated process that writes. It fails as SQLite does: when it takes the lock, or when it commits.
import { type Database, SQLiteError } from "bun:sqlite";
import { existsSync, statSync } from "node:fs";
import { open } from "../../src/store/sqlite-file";

/**
 * `full`: no room on the disk; `locked`: another program holds the write lock; `refused`: the disk refuses writes; `slow`: a
 * write takes seconds.
 */
export const STORE_FAULTS = ["full", "locked", "refused", "slow"] as const;
/** `silent`: the packets to a database server, and those from it, are lost. */
export type StoreFault = (typeof STORE_FAULTS)[number] | "silent";

/** What the database of a process is going through. */
export interface Trouble {
  fault: StoreFault | undefined;
  /** Virtual time since which every commit of the main database has failed; undefined if the last one succeeded. */
  failingSince: number | undefined;
  readonly now: () => number;
}

/** Opens a database whose writes fail as `trouble` says. Nothing is synced: a power loss is simulated with copies. */
export function openTroubled(file: string, trouble: Trouble): Database {
  const database = open(file, "normal");
  const prepare = database.prepare.bind(database);
  let wasReserved = false;
  const isMain = file.endsWith("runtime.db");
  const fail = (code: string): never => {
    if (isMain) trouble.failingSince ??= trouble.now();
    throw sqliteError(code);
  };
  const begin = (): void => {
    if (trouble.fault === "locked") fail("SQLITE_BUSY");
  };
  // A reserve that was given up makes room for one commit.
  const hasRoom = (): boolean => {
    const [before, isThere] = [wasReserved, isReserved(file)];
    wasReserved = isThere;
    return before && !isThere;
  };
  const commit = (): void => {
    if (trouble.fault === "refused") fail("SQLITE_IOERR_WRITE");
    if (trouble.fault === "full" && !hasRoom()) fail("SQLITE_FULL");
    if (isMain) trouble.failingSince = undefined;
  };
  const checked = (text: string, before: () => void): unknown => {
    const statement = prepare(text);
    const run = (): unknown => {
      before();
      return statement.run();
    };
    return { run, finalize: () => statement.finalize() };
  };
  const replaced = (text: string): unknown => {
    if (text === "BEGIN IMMEDIATE") return checked(text, begin);
    return text === "COMMIT" ? checked(text, commit) : prepare(text);
  };
  return Object.assign(database, { prepare: replaced as typeof database.prepare });
}

/** Whether the file that keeps room for tokens exists. */
export function isReserved(file: string): boolean {
  const reserve = `${file}-reserve`;
  return existsSync(reserve) && statSync(reserve).size > 0;
}

// Only SQLite constructs its errors. `instanceof` looks at the name.
function sqliteError(code: string): Error {
  const error: Error = Object.create(SQLiteError.prototype);
  Object.assign(error, { name: "SQLiteError", code, message: code });
  if (!(error instanceof SQLiteError)) throw new Error("this is not taken for an error of SQLite");
  return error;
}
