// Transactions that share a commit. A failed statement ends a transaction of PostgreSQL, so a group runs without savepoints
// first. If a statement of it fails, or a body fails after a write, the group is rolled back and runs again with savepoints
// around each body and each statement.
import { type SqlValue, type Step, TOUCH, type Transaction } from "../port";
import type { Outcome, Waiting } from "../sqlite-group";
import { isConflict, isLost, isOfDisk, translateError } from "./failures";
import type { Answer } from "./link";

/** Runs a statement inside of the current transaction. */
export type Execute = (text: string, params: readonly SqlValue[]) => Promise<Answer>;

export interface Ran {
  outcomes: Outcome[];
  touched: ReadonlySet<SqlValue>;
  /** A statement has written. */
  wrote: boolean;
  /** The error of a body for which the database had no room. */
  refused?: unknown;
}

/** The name of a step that only SQLite knows: it removes what a deletion leaves in its file. */
const OF_SQLITE = /^PRAGMA\b/;

/** Thrown inside of a group that must run again with savepoints. */
const AGAIN = Symbol("again");

/** Undefined: the group must be rolled back and run again with savepoints. Throws if the transaction cannot go on. */
export async function runGroup(
  execute: Execute,
  group: readonly Waiting[],
  savepoints: boolean,
): Promise<Ran | undefined> {
  const ran: Ran & { touched: Set<SqlValue> } = { outcomes: [], touched: new Set(), wrote: false };
  for (const of of group) {
    const run = new BodyRun(execute, savepoints);
    if (savepoints) await execute("SAVEPOINT body", []);
    try {
      const value = await run.finish(of);
      ran.outcomes.push({ of, value });
      for (const kind of run.touched) ran.touched.add(kind);
      ran.wrote ||= run.wrote;
    } catch (error) {
      if (error === AGAIN) return undefined;
      if (endsTransaction(error)) throw error;
      if (!savepoints && run.wrote) return undefined;
      if (savepoints) await execute("ROLLBACK TO SAVEPOINT body", []);
      if (isOfDisk(error)) ran.refused = error;
      ran.outcomes.push({ of, error: translateError(error) });
    }
    if (savepoints) await execute("RELEASE SAVEPOINT body", []);
  }
  return ran;
}

function endsTransaction(error: unknown): boolean {
  return isLost(error) || isConflict(error);
}

class BodyRun {
  wrote = false;
  readonly touched: SqlValue[] = [];
  readonly #execute: Execute;
  readonly #savepoints: boolean;

  constructor(execute: Execute, savepoints: boolean) {
    this.#execute = execute;
    this.#savepoints = savepoints;
  }

  async finish(of: Waiting): Promise<unknown> {
    const transaction: Transaction<unknown> = of.body();
    let state = transaction.next();
    while (!state.done) {
      let answer: unknown;
      try {
        answer = await this.#step(state.value);
      } catch (error) {
        if (error === AGAIN || endsTransaction(error)) throw error;
        // The body may catch a violation of a unique key and go on.
        state = transaction.throw(translateError(error));
        continue;
      }
      state = transaction.next(answer);
    }
    return state.value;
  }

  async #step(step: Step): Promise<unknown> {
    if (step.text === TOUCH.text) return this.touched.push(...step.params) && 1;
    if (OF_SQLITE.test(step.text)) return 0;
    const { rows, count } = await this.#answer(step);
    if (step.method === "run") this.wrote = true;
    if (step.method === "all") return rows;
    return step.method === "get" ? rows[0] : count;
  }

  async #answer(step: Step): Promise<Answer> {
    if (!this.#savepoints) {
      return this.#execute(step.text, step.params).catch((error: unknown) => {
        // Nothing more can run in this transaction.
        throw endsTransaction(error) ? error : AGAIN;
      });
    }
    const [, answer] = await Promise.allSettled([
      this.#execute("SAVEPOINT step", []),
      this.#execute(step.text, step.params),
    ]);
    if (answer.status === "rejected") {
      if (endsTransaction(answer.reason)) throw answer.reason;
      await this.#execute("ROLLBACK TO SAVEPOINT step", []);
    }
    await this.#execute("RELEASE SAVEPOINT step", []);
    if (answer.status === "rejected") throw answer.reason;
    return answer.value;
  }
}
