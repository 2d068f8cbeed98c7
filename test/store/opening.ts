// Databases for the tests of the store.
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { openSqlite, type SqliteOptions, type Store } from "../../src/store";
import { closedAfterTest, temporaryFolder } from "../support/temporary";
import { migrations } from "./notes";

/** The program that other processes run. */
export const CHILD = join(import.meta.dir, "child.ts");

/** The path of a new database. Like all functions here, must be called inside a test. */
export function newFile(): string {
  return join(temporaryFolder(), "notes.db");
}

/** A SQLite store on the file, closed after the test. */
export function openAt(file: string, options: Partial<SqliteOptions> = {}): Store {
  return closedAfterTest(openSqlite({ file, migrations, ...options }));
}

/** A connection like that of another process: SQLite treats both the same. */
export function connect(file: string): Database {
  return new Database(file, { strict: true });
}

/** Ways to open stores of one engine. */
export interface Engine {
  at: (file: string) => Store;
  new: () => Store;
  /** Two stores on one file, like those of two processes. */
  two: () => [Store, Store];
}

export function engine(open: (options: SqliteOptions) => Store): Engine {
  const at = (file: string): Store => closedAfterTest(open({ file, migrations }));
  return {
    at,
    new: () => at(newFile()),
    two: () => {
      const file = newFile();
      return [at(file), at(file)];
    },
  };
}

/** Waits until the writes of this turn are done. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1));
}
