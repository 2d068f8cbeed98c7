// Runs statements on a SQLite connection and translates its errors.
import { type Database, SQLiteError, type Statement } from "bun:sqlite";
import { RuntimeError, unavailable } from "../errors";
import type { KeptRows } from "./kept";
import {
  isList,
  type KeptStep,
  type SqlValue,
  type Step,
  TOUCH,
  type Transaction,
  UniqueViolation,
  type Yielded,
} from "./port";

// Bun's cache is limited to 20 statements. All our statements are constants, so each is cached.
const statements = new WeakMap<Database, Map<string, Statement<unknown, SqlValue[]>>>();

/** The prepared statement of a text, cached per connection. */
export function prepared<Row>(database: Database, text: string): Statement<Row, SqlValue[]> {
  let known = statements.get(database);
  if (known === undefined) statements.set(database, (known = new Map()));
  let statement = known.get(text);
  if (statement === undefined) known.set(text, (statement = database.prepare<unknown, SqlValue[]>(text)));
  // The type of the query determines the rows.
  return statement as Statement<Row, SqlValue[]>;
}

/** Runs one step, or a list of them. Shared with the asynchronous engine of the tests. */
export function runStep(database: Database, step: Yielded): unknown {
  if (isList(step)) return step.map((one) => runStep(database, one));
  const statement = prepared(database, step.text);
  if (step.method === "run") return statement.run(...step.params).changes;
  if (step.method === "all") return statement.all(...step.params);
  return statement.get(...step.params) ?? undefined;
}

/** Translates errors of SQLite to those of the port. */
export function translate(error: unknown): unknown {
  if (error instanceof RuntimeError || error instanceof UniqueViolation) return error;
  const code = error instanceof SQLiteError ? (error.code ?? "") : "";
  if (code === "SQLITE_CONSTRAINT_UNIQUE" || code === "SQLITE_CONSTRAINT_PRIMARYKEY")
    return new UniqueViolation(error);
  const reason = REASONS.find(([codes]) => codes.test(code))?.[1];
  return reason === undefined ? error : unavailable(reason, { cause: error });
}

/** Why a write was refused, for the caller. */
const REASONS: readonly (readonly [codes: RegExp, reason: string])[] = [
  [
    /^SQLITE_FULL/,
    "The disk of the database is full, so nothing was stored. Make room on it, then send the request again.",
  ],
  [
    /^SQLITE_(IOERR|CANTOPEN)/,
    "The disk of the database reports an error, so nothing was stored. Check the disk; the log has the cause.",
  ],
  [
    /^SQLITE_READONLY/,
    "The database cannot be written, so nothing was stored. Check the permissions of the data folder.",
  ],
  // Only the triggers that look for the data key of a sealed value.
  [
    /^SQLITE_CONSTRAINT_TRIGGER$/,
    "A data key was replaced while this was stored, so nothing was stored. Send the request again.",
  ],
];

/** Closes a connection and its statements. An open statement would leave the write-ahead log behind. */
export function closeDatabase(database: Database): void {
  for (const statement of statements.get(database)?.values() ?? []) statement.finalize();
  statements.delete(database);
  database.close();
}

/** Runs a transaction body and records what it has done. */
export class BodyRun {
  /** A statement that writes has succeeded. */
  wrote = false;
  /** The kinds that it touched. Their generations are raised once per commit. */
  readonly touched: SqlValue[] = [];
  readonly #database: Database;
  readonly #kept: KeptRows | undefined;

  /** `kept`: the kept rows of the commit. Undefined: what this transaction does may be undone alone. */
  constructor(database: Database, kept?: KeptRows) {
    this.#database = database;
    this.#kept = kept;
  }

  /** Runs the body and returns its result. Throws its errors. */
  finish(transaction: Transaction<unknown>): unknown {
    let state = transaction.next();
    while (!state.done) {
      let answer: unknown;
      try {
        answer = this.#step(state.value);
      } catch (error) {
        // The body may catch a UNIQUE violation and continue; `throw` rethrows errors that it does not catch.
        state = transaction.throw(translate(error));
        continue;
      }
      state = transaction.next(answer);
    }
    return state.value;
  }

  // A failed statement only rolls back its own changes.
  #step(step: Yielded): unknown {
    if (isList(step)) return step.map((one) => this.#step(one));
    if (step.text === TOUCH.text) {
      this.#kept?.touched(step.params);
      return this.touched.push(...step.params) && 1;
    }
    if (step.kept !== undefined && this.#kept !== undefined)
      return this.#keptStep(this.#kept, step.kept, step);
    const answer = runStep(this.#database, step);
    if (step.method === "run") this.wrote = true;
    return answer;
  }

  #keptStep(rows: KeptRows, kept: KeptStep, step: Step): unknown {
    if (step.method === "get")
      return rows.has(kept) ? rows.row(kept) : rows.keep(kept, runStep(this.#database, step));
    rows.change(kept, step);
    this.wrote = true;
    return 1;
  }
}

/** Whether another connection holds the lock. */
export function isBusy(error: unknown): boolean {
  return error instanceof SQLiteError && (error.code ?? "").startsWith("SQLITE_BUSY");
}

/** Whether the disk is full, or the file may not grow any more. */
export function isFull(error: unknown): boolean {
  // A body that rethrows the error of a statement throws the translated one.
  const own = error instanceof RuntimeError ? error.cause : error;
  return own instanceof SQLiteError && /^SQLITE_(FULL|IOERR)/.test(own.code ?? "");
}
