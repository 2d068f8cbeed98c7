// When something that failed may be tried again: after delays that double, by monotonic time.
import type { Clock } from "./clock";

export interface DelayLimits {
  firstMs: number;
  maxMs: number;
  /** More keys than this are not remembered. */
  maxKeys: number;
}

interface Delay {
  failures: number;
  /** Monotonic time. */
  until: number;
}

export class Delays {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #limits: DelayLimits;
  readonly #delays = new Map<string, Delay>();

  constructor(clock: Pick<Clock, "monotonic">, limits: DelayLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  has(key: string): boolean {
    return this.#clock.monotonic() < (this.#delays.get(key)?.until ?? -Infinity);
  }

  /**
   * Doubles the delay. `vary`: a factor, so that what failed at the same time is not tried again at the same time. Returns the
   * number of earlier failures.
   */
  add(key: string, vary = 1): number {
    const { firstMs, maxMs, maxKeys } = this.#limits;
    const failures = this.#delays.get(key)?.failures ?? 0;
    const until = this.#clock.monotonic() + Math.min(firstMs * 2 ** failures, maxMs) * vary;
    const [oldest] = this.#delays.keys();
    if (this.#delays.size >= maxKeys && oldest !== undefined) this.#delays.delete(oldest);
    this.#delays.set(key, { failures: failures + 1, until });
    return failures;
  }

  clear(key: string): void {
    this.#delays.delete(key);
  }
}
