// Transactions that share a commit on SQLite. A failure of one must not affect the others, so each needs a savepoint. But a
// savepoint costs two statements and copies of pages, and few bodies fail after a write. So a group first runs without
// savepoints; if one fails after a write, the group is rolled back and runs again with them.
import type { Database } from "bun:sqlite";
import { KeptRows } from "./kept";
import { type SqlValue, TOUCH, type Transaction } from "./port";
import { BodyRun, prepared, runStep, translate } from "./sqlite-steps";

/** A transaction and its caller. */
export interface Waiting {
  body: () => Transaction<unknown>;
  resolve: (value: unknown) => void;
  reject: (reason: unknown) => void;
}

/** The result of a transaction, or its error, in which case nothing of it is stored. */
export type Outcome = { of: Waiting; value: unknown } | { of: Waiting; error: unknown };

/** A group that has run completely. */
export interface Ran {
  outcomes: Outcome[];
  /** The kinds whose generations it raised, each by one. */
  touched: ReadonlySet<SqlValue>;
}

/** Resolves or rejects the caller's promise. */
export function settle(outcome: Outcome): void {
  if ("error" in outcome) outcome.of.reject(outcome.error);
  else outcome.of.resolve(outcome.value);
}

/**
 * Runs a group in order, inside the current transaction. Returns undefined if one failed after a write: the group must be
 * rolled back and run again with savepoints. Throws if SQLite has ended the transaction.
 */
export function runGroup(
  database: Database,
  group: readonly Waiting[],
  savepoints: boolean,
): Ran | undefined {
  const outcomes: Outcome[] = [];
  const touched = new Set<SqlValue>();
  const kept = new KeptRows();
  for (const one of group) {
    const outcome = savepoints
      ? runInSavepoint(database, one, touched)
      : runOne(database, one, touched, kept);
    if (outcome === undefined) return undefined;
    outcomes.push(outcome);
  }
  for (const step of kept.changes()) runStep(database, step);
  for (const kind of touched) prepared(database, TOUCH.text).run(kind);
  return { outcomes, touched };
}

function runOne(
  database: Database,
  of: Waiting,
  touched: Set<SqlValue>,
  kept: KeptRows,
): Outcome | undefined {
  const run = new BodyRun(database, kept);
  try {
    const value = run.finish(of.body());
    for (const kind of run.touched) touched.add(kind);
    return { of, value };
  } catch (error) {
    // Some errors (disk full, I/O error) end the whole transaction.
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
