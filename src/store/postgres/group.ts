// Transactions that share a commit. A failed statement ends a transaction of PostgreSQL, so a group runs without savepoints
// first. If a statement of it fails, or a body fails after a write, the group is rolled back and runs again with savepoints
// around each body and each statement.
//
// Without savepoints, statements whose answers no body uses are sent and not waited for: each wait is a round trip, in which
// all writers of all servers wait. Their answers are looked at with the next one that is waited for, and with the commit.
import { KeptRows } from "../kept";
import {
  type Awaitable,
  isList,
  type KeptStep,
  type SqlValue,
  type Step,
  TOUCH,
  type Transaction,
  type Yielded,
} from "../port";
import type { Outcome, Waiting } from "../sqlite-group";
import { isConflict, isLost, isOfDisk, translateError } from "./failures";
import type { Answer } from "./link";

/** Sends a statement inside of the current transaction at once. */
export type Execute = (text: string, params: readonly SqlValue[]) => Promise<Answer>;

export interface Ran {
  outcomes: Outcome[];
  touched: ReadonlySet<SqlValue>;
  /** A statement has written. */
  wrote: boolean;
  /** Answers that were not waited for. */
  sent: readonly Promise<Answer>[];
  /** The error of a body for which the database had no room. */
  refused?: unknown;
}

/** The name of a step that only SQLite knows: it removes what a deletion leaves in its file. */
const OF_SQLITE = /^PRAGMA\b/;

/** Thrown inside of a group that must run again with savepoints. */
const AGAIN = Symbol("again");

/**
 * Runs the transactions as they come. Undefined: they must be rolled back and run again with savepoints. Throws if the
 * transaction cannot go on.
 */
export async function runGroup(
  execute: Execute,
  group: AsyncIterable<Waiting>,
  savepoints: boolean,
): Promise<Ran | undefined> {
  const sent: Promise<Answer>[] = [];
  const ran: Ran & { touched: Set<SqlValue> } = { outcomes: [], touched: new Set(), wrote: false, sent };
  const kept = new KeptRows();
  for await (const of of group) {
    const run = new BodyRun(execute, savepoints ? undefined : { sent, kept });
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
  for (const { text, params } of kept.changes()) sendTo(sent, execute(text, params));
  return ran;
}

/** Its failure is looked at later. */
function sendTo(sent: Promise<Answer>[], answer: Promise<Answer>): void {
  answer.catch(() => undefined);
  sent.push(answer);
}

/** The first error of these statements. Waits for all. */
export async function failureOf(sent: readonly Promise<Answer>[]): Promise<unknown> {
  const failed = (await Promise.allSettled(sent)).find(({ status }) => status === "rejected");
  return failed?.status === "rejected" ? failed.reason : undefined;
}

/** Whether nothing more can run in the transaction, and a repetition with savepoints would not help. */
export function endsTransaction(error: unknown): boolean {
  return isLost(error) || isConflict(error);
}

/** What the transactions of a group without savepoints share. */
interface Shared {
  /** Answers that are not waited for. */
  sent: Promise<Answer>[];
  kept: KeptRows;
}

class BodyRun {
  wrote = false;
  readonly touched: SqlValue[] = [];
  readonly #execute: Execute;
  readonly #shared: Shared | undefined;

  /** `shared`: undefined with savepoints. */
  constructor(execute: Execute, shared: Shared | undefined) {
    this.#execute = execute;
    this.#shared = shared;
  }

  async finish(of: Waiting): Promise<unknown> {
    const transaction: Transaction<unknown> = of.body();
    let state = transaction.next();
    while (!state.done) {
      let answer: unknown;
      try {
        const awaited = this.#yielded(state.value);
        answer = awaited instanceof Promise ? await awaited : awaited;
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

  #yielded(yielded: Yielded): unknown {
    if (!isList(yielded)) return this.#step(yielded);
    return this.#shared === undefined
      ? this.#oneByOne(yielded)
      : Promise.all(yielded.map((step) => this.#step(step)));
  }

  async #oneByOne(steps: readonly Step[]): Promise<unknown[]> {
    const answers: unknown[] = [];
    for (const step of steps) answers.push(await this.#step(step));
    return answers;
  }

  #step(step: Step): Awaitable<unknown> {
    if (step.text === TOUCH.text) {
      this.#shared?.kept.touched(step.params);
      return this.touched.push(...step.params) && 1;
    }
    if (OF_SQLITE.test(step.text)) return 0;
    if (step.method === "run") this.wrote = true;
    if (this.#shared === undefined) return this.#answer(step).then((answer) => valueOf(step, answer));
    if (step.kept !== undefined) return this.#keptStep(step.kept, step, this.#shared);
    if (step.isUnread !== true) return this.#awaited(step, this.#shared.sent);
    sendTo(this.#shared.sent, this.#execute(step.text, step.params));
    return undefined;
  }

  #keptStep(kept: KeptStep, step: Step, shared: Shared): Awaitable<unknown> {
    const rows = shared.kept;
    if (step.method === "run") return rows.change(kept, step);
    if (rows.has(kept)) return rows.row(kept);
    return this.#awaited(step, shared.sent).then((row) => rows.keep(kept, row));
  }

  async #awaited(step: Step, sent: readonly Promise<Answer>[]): Promise<unknown> {
    const answer = this.#execute(step.text, step.params);
    try {
      return valueOf(step, await answer);
    } catch {
      // If a statement before it has failed, that error is the reason.
      const failed = await failureOf([...sent, answer]);
      // Nothing more can run in this transaction.
      throw endsTransaction(failed) ? failed : AGAIN;
    }
  }

  async #answer({ text, params }: Step): Promise<Answer> {
    const [savepoint, answer] = await Promise.allSettled([
      this.#execute("SAVEPOINT step", []),
      this.#execute(text, params),
    ]);
    // There is nothing to go back to, and the statement fails because of it.
    if (savepoint.status === "rejected") throw savepoint.reason;
    if (answer.status === "rejected") {
      if (endsTransaction(answer.reason)) throw answer.reason;
      await this.#execute("ROLLBACK TO SAVEPOINT step", []);
    }
    await this.#execute("RELEASE SAVEPOINT step", []);
    if (answer.status === "rejected") throw answer.reason;
    return answer.value;
  }
}

function valueOf({ method }: Step, { rows, count }: Answer): unknown {
  if (method === "all") return rows;
  return method === "get" ? rows[0] : count;
}
