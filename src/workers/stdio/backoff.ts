// When a program that keeps ending is started again: after 1, 2, 4 … 60 seconds.
import { type Clock, RecentMap } from "../../base";

const FIRST_MS = 1000;
const LONGEST_MS = 60_000;
/** A program that has run for so long was not broken from the start. */
const STEADY_MS = 60_000;
const MOST = 10_000;

interface Failures {
  count: number;
  /** On the monotonic clock. */
  until: number;
}

export class Backoff {
  readonly #clock: Clock;
  readonly #failures = new RecentMap<string, Failures | undefined>(MOST);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How long the next start has to wait. */
  left(slot: string): number {
    return Math.max(0, (this.#failures.get(slot)?.until ?? 0) - this.#clock.monotonic());
  }

  /** The program has ended by itself. */
  failed(slot: string, startedAt: number): void {
    const now = this.#clock.monotonic();
    const before = now - startedAt >= STEADY_MS ? 0 : (this.#failures.get(slot)?.count ?? 0);
    const wait = Math.min(FIRST_MS * 2 ** Math.min(before, 10), LONGEST_MS);
    this.#failures.set(slot, { count: before + 1, until: now + wait });
  }

  /** Its settings have changed: it may be another program. */
  forget(slot: string): void {
    this.#failures.set(slot, undefined);
  }
}
