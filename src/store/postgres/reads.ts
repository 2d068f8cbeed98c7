// Reads. Those of a turn of the event loop are sent as they come, on one connection. They change nothing, so they may be asked
// again: on another connection, if theirs is lost or silent.
import { RuntimeError } from "../../errors";
import type { Awaitable, SqlValue } from "../port";
import { isLost, lost, LostConnection, translateError } from "./failures";
import type { Answer, Link } from "./link";
import type { Pool } from "./pool";

const READ_MS = 5000;
/** After this silence a read is asked on another connection too. */
const SILENT_MS = 1000;
const PAUSE_MS = 100;

type Rows = Record<string, unknown>[];

export class Reads {
  readonly #pool: Pool;
  /** That of the current turn. */
  #link: Awaitable<Link> | undefined;
  #closed = false;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** Throws `unavailable` if there is no answer in time. */
  read(text: string, params: readonly SqlValue[]): Promise<Rows> {
    return withinLimit(this.#readAgain(text, params, performance.now() + READ_MS), READ_MS);
  }

  endTurn(): void {
    this.#link = undefined;
  }

  /** A connection was or may be lost: finds out which others are, before something is read on them. */
  ping(idleMs = 0): void {
    this.#pool.ping(idleMs);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#pool.close();
  }

  async #readAgain(text: string, params: readonly SqlValue[], until: number): Promise<Rows> {
    for (;;) {
      try {
        const link = this.#linkOfTurn();
        const ready = link instanceof Promise ? await link : link;
        return await this.#answer(ready, text, params, until);
      } catch (error) {
        this.endTurn();
        if (!isRepeatable(error)) throw translateError(error);
        if (this.#closed || performance.now() > until) throw lost(error);
        await Bun.sleep(PAUSE_MS * (0.5 + Math.random()));
      }
    }
  }

  #linkOfTurn(): Awaitable<Link> {
    if (this.#link === undefined) {
      this.#link = this.#pool.take();
      if (this.#link instanceof Promise) this.#link.catch(() => undefined);
      setImmediate(this.#endOfTurn);
    }
    return this.#link;
  }

  readonly #endOfTurn = (): void => this.endTurn();

  async #answer(link: Link, text: string, params: readonly SqlValue[], until: number): Promise<Rows> {
    const first = link.run(text, params, READ_MS);
    const number = link.newest;
    const other = Promise.withResolvers<Answer>();
    const timer = setTimeout(() => {
      const { silentMs } = link;
      if (silentMs < SILENT_MS) return;
      this.#pool.ping();
      const again = async (): Promise<Answer> => {
        const answer = await this.#answerOfProven(performance.now() - silentMs, text, params, until);
        // Not slow, so lost. Later, because the answer must come before the error.
        if (link.next === number) setImmediate(() => link.lose());
        return answer;
      };
      // The first one's error tells more.
      again().then(other.resolve, () => first.then(other.resolve, other.reject));
    }, SILENT_MS);
    try {
      return (await Promise.race([first, other.promise])).rows;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Others may have been lost as silently, so only a connection counts on which an answer has come since, or a new one. */
  async #answerOfProven(
    since: number,
    text: string,
    params: readonly SqlValue[],
    until: number,
  ): Promise<Answer> {
    for (;;) {
      try {
        const link = await this.#pool.takeProven(since);
        if (link !== undefined) return await link.run(text, params, READ_MS);
      } catch (error) {
        if (!isRepeatable(error) || this.#closed) throw error;
      }
      if (performance.now() > until) throw new LostConnection(undefined);
      await Bun.sleep(PAUSE_MS * (0.5 + Math.random()));
    }
  }
}

/** The connection was lost, or none could be made. */
function isRepeatable(error: unknown): boolean {
  return isLost(error) || (error instanceof RuntimeError && error.name === "unavailable");
}

/** Throws `unavailable` if there is no result in time. */
export async function withinLimit<T>(work: Promise<T>, limitMs: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(lost(new Error(`no answer within ${limitMs} ms`))), limitMs);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
