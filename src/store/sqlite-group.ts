// Transactions that share a commit on SQLite. They run as if each had a savepoint of its own, so that a failure of one
// leaves the others alone; but a savepoint costs two statements and copies of pages, and few bodies fail once they have
// written. So a group runs without them, and where that goes wrong it is rolled back and runs again with them.
import type { Database } from "bun:sqlite";
import { type SqlValue, TOUCH, type Transaction } from "./port";
import { BodyRun, prepared, translate } from "./sqlite-steps";

/** A transaction, and who waits for it. */
export interface Waiting {
  body: () => Transaction<unknown>;
  resolve: (value: unknown) => void;
  reject: (reason: unknown) => void;
}

/** What became of one: what its body returned, or what it threw, and nothing of it is stored. */
export type Outcome = { of: Waiting; value: unknown } | { of: Waiting; error: unknown };

/** A group that ran to its end. */
export interface Ran {
  outcomes: Outcome[];
  /** Kinds whose generations it raised, each by one. */
  touched: ReadonlySet<SqlValue>;
}

/** Tells who waits. */
export function settle(outcome: Outcome): void {
  if ("error" in outcome) outcome.of.reject(outcome.error);
  else outcome.of.resolve(outcome.value);
}

/**
 * Runs a group in order, inside the transaction that the database is in. Undefined: one failed after it had written;
 * the whole is to be rolled back, and run with `apart`. Throws when the transaction is lost for all.
 */
export function runGroup(database: Database, group: readonly Waiting[], apart: boolean): Ran | undefined {
  const outcomes: Outcome[] = [];
  const touched = new Set<SqlValue>();
  for (const one of group) {
    const outcome = apart ? runInSavepoint(database, one, touched) : runOne(database, one, touched);
    if (outcome === undefined) return undefined;
    outcomes.push(outcome);
  }
  for (const kind of touched) prepared(database, TOUCH.text).run(kind);
  return { outcomes, touched };
}

function runOne(database: Database, of: Waiting, touched: Set<SqlValue>): Outcome | undefined {
  const run = new BodyRun(database);
  try {
    const value = run.finish(of.body());
    for (const kind of run.touched) touched.add(kind);
    return { of, value };
  } catch (error) {
    // Some errors (disk full, I/O error) end the transaction of everybody.
    if (!database.inTransaction) throw error;
    return run.wrote ? undefined : { of, error: translate(error) };
  }
}

function runInSavepoint(database: Database, of: Waiting, touched: Set<SqlValue>): Outcome {
  const run = new BodyRun(database);
  prepared(database, "SAVEPOINT one").run();
  let outcome: Outcome;
  try {
    outcome = { of, value: run.finish(of.body()) };
    for (const kind of run.touched) touched.add(kind);
  } catch (error) {
    if (!database.inTransaction) throw error;
    prepared(database, "ROLLBACK TO one").run();
    outcome = { of, error: translate(error) };
  }
  prepared(database, "RELEASE one").run();
  return outcome;
}
