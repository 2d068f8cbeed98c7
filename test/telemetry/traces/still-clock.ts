// A clock that moves only when a test says so.
import type { Clock } from "../../../src/base";

interface Sleeper {
  until: number;
  ms: number;
  wake: () => void;
}

export class StillClock implements Clock {
  #now = 0;
  readonly #sleepers = new Set<Sleeper>();

  now = (): number => 1_790_000_000_000 + this.#now;
  monotonic = (): number => this.#now;

  sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const wake = (): void => {
        this.#sleepers.delete(sleeper);
        resolve();
      };
      const sleeper = { until: this.#now + ms, ms, wake };
      this.#sleepers.add(sleeper);
      signal?.addEventListener("abort", wake);
    });

  /** What is waited for, ms. */
  get waiting(): number[] {
    return [...this.#sleepers].map(({ ms }) => ms);
  }

  /** Lets everything run that waits for nothing. */
  async settled(): Promise<void> {
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** Lets time pass, with everything that becomes due on the way in its order. */
  async pass(ms: number): Promise<void> {
    await this.settled();
    const end = this.#now + ms;
    for (;;) {
      const [next] = [...this.#sleepers].toSorted((one, other) => one.until - other.until);
      if (next === undefined || next.until > end) break;
      this.#now = next.until;
      next.wake();
      await this.settled();
    }
    this.#now = end;
  }
}
