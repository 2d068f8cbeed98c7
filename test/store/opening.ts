// Databases of the tests of the store: a new one of an engine, or of SQLite with a connection beside it.
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { openSqlite, type SqliteOptions, type Store } from "../../src/store";
import { closedAfterTest, temporaryFolder } from "../support/temporary";
import { migrations } from "./notes";

/** The script that other processes run. */
export const CHILD = join(import.meta.dir, "child.ts");

/** Where a database can be made. To be called inside a test, as all here. */
export function newFile(): string {
  return join(temporaryFolder(), "notes.db");
}

/** A SQLite store on the file, closed when the test is over. */
export function openAt(file: string, options: Partial<SqliteOptions> = {}): Store {
  return closedAfterTest(openSqlite({ file, migrations, ...options }));
}

/** Another process's connection in all but the process id: SQLite treats both alike. */
export function connect(file: string): Database {
  return new Database(file, { strict: true });
}

/** Ways to open stores of one engine. */
export interface Engine {
  at: (file: string) => Store;
  new: () => Store;
  /** Two stores on one file, as two processes would have them. */
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

/** Lets what was queued in this turn happen. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1));
}
