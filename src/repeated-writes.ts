// Writes of answers from outside, which exist nowhere else: repeated until they succeed or the process stops.
import type { Core } from "./core";
import { RuntimeError } from "./errors";
import { untilStored } from "./store";

/** A long failure is logged once in so many attempts. */
const LOG_EVERY = 20;

export interface RepeatOptions {
  /** Whether another attempt must fail in the same way. */
  isFinal?: (error: unknown) => boolean;
  /** Called after each failed attempt that is repeated. */
  failed?: () => void;
}

export class RepeatedWrites {
  readonly #core: Core;
  readonly #stop = new AbortController();
  readonly #pending = new Set<Promise<unknown>>();

  constructor(core: Core) {
    this.#core = core;
  }

  /** How many are not done. */
  get pending(): number {
    return this.#pending.size;
  }

  /** The result of the first attempt that succeeds. Rejects with a final error, or the last one when the process stops. */
  run<T>(name: string, attempt: () => Promise<T>, options: RepeatOptions = {}): Promise<T> {
    const work = this.#run(name, attempt, options).finally(() => this.#pending.delete(work));
    this.#pending.add(work);
    return work;
  }

  /** Waits at most this long for the pending writes, and then gives them up. */
  async close(timeoutMs: number): Promise<void> {
    const stored = new AbortController();
    const all = Promise.allSettled(this.#pending).then(() => stored.abort());
    await Promise.race([all, this.#core.clock.sleep(timeoutMs, stored.signal)]);
    this.#stop.abort();
    await all;
  }

  async #run<T>(name: string, attempt: () => Promise<T>, { isFinal, failed }: RepeatOptions): Promise<T> {
    const { clock, log } = this.#core;
    return untilStored(attempt, {
      clock,
      isFinal,
      stopping: this.#stop.signal,
      // `close` has waited.
      stopMs: 0,
      failed: (error, before) => {
        if (before % LOG_EVERY === 0) log.error(`${name} could not be stored; trying again`, { error });
        failed?.();
      },
    });
  }
}

/** Whether the same write may succeed later: the database is locked, or the disk is full or failing. */
export function isTemporary(error: unknown): boolean {
  if (error instanceof RuntimeError) return error.name === "unavailable";
  return error instanceof Error && "code" in error && /^SQLITE_(FULL|IOERR|BUSY)/.test(String(error.code));
}
