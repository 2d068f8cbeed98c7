// Statements on a SQLite connection, and its errors in the words of the port.
import { type Database, SQLiteError, type Statement } from "bun:sqlite";
import { RuntimeError } from "../errors";
import { type SqlValue, type Step, TOUCH, type Transaction, UniqueViolation } from "./port";

// Bun's own cache holds 20 statements; all of ours are fixed texts, so every one is kept.
const statements = new WeakMap<Database, Map<string, Statement<unknown, SqlValue[]>>>();

/** The statement of a text, prepared once per connection. */
export function prepared<Row>(database: Database, text: string): Statement<Row, SqlValue[]> {
  let known = statements.get(database);
  if (known === undefined) statements.set(database, (known = new Map()));
  let statement = known.get(text);
  if (statement === undefined) known.set(text, (statement = database.prepare<unknown, SqlValue[]>(text)));
  // The port's query type says which rows its text gives.
  return statement as Statement<Row, SqlValue[]>;
}

/** Runs one step on a SQLite connection. Shared with the test engine that answers late. */
export function runStep(database: Database, step: Step): unknown {
  const statement = prepared(database, step.text);
  if (step.method === "run") return statement.run(...step.params).changes;
  if (step.method === "all") return statement.all(...step.params);
  return statement.get(...step.params) ?? undefined;
}

/** SQLite's own errors in the words of the port. */
export function translate(error: unknown): unknown {
  if (error instanceof RuntimeError || error instanceof UniqueViolation) return error;
  const code = error instanceof SQLiteError ? (error.code ?? "") : "";
  if (code === "SQLITE_CONSTRAINT_UNIQUE" || code === "SQLITE_CONSTRAINT_PRIMARYKEY")
    return new UniqueViolation(error);
  return error;
}

/** Closes a connection with its statements: an open one would leave the write-ahead log behind. */
export function closeDatabase(database: Database): void {
  for (const statement of statements.get(database)?.values() ?? []) statement.finalize();
  statements.delete(database);
  database.close();
}

/** A transaction body on its way to its end: what it has done so far. */
export class BodyRun {
  /** A statement that writes has gone through. */
  wrote = false;
  /** Kinds that it touched. Their generations are raised with the commit: once for everybody who shares it. */
  readonly touched: SqlValue[] = [];
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Runs the body to its end; what it returns. Throws what it throws. */
  finish(transaction: Transaction<unknown>): unknown {
    let state = transaction.next();
    while (!state.done) {
      let answer: unknown;
      try {
        answer = this.#step(state.value);
      } catch (error) {
        // The body may catch a broken UNIQUE rule and go on; what it does not catch comes back out of `throw`.
        state = transaction.throw(translate(error));
        continue;
      }
      state = transaction.next(answer);
    }
    return state.value;
  }

  // A statement that fails takes back what it did itself, and nothing else.
  #step(step: Step): unknown {
    if (step.text === TOUCH.text) return this.touched.push(...step.params) && 1;
    const answer = runStep(this.#database, step);
    if (step.method === "run") this.wrote = true;
    return answer;
  }
}

/** Whether another connection holds the lock. */
export function isBusy(error: unknown): boolean {
  return error instanceof SQLiteError && (error.code ?? "").startsWith("SQLITE_BUSY");
}
