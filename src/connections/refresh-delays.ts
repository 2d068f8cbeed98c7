// When a refresh ahead of the expiry may be tried again after it failed.
const FIRST_MS = 1000;
const MAX_MS = 60_000;
/** More grants than this are not remembered. */
const MAX_ENTRIES = 10_000;

interface Delay {
  failures: number;
  /** Monotonic time. */
  until: number;
}

export class RefreshDelays {
  readonly #delays = new Map<string, Delay>();

  isDelayed(key: string): boolean {
    const delay = this.#delays.get(key);
    return delay !== undefined && performance.now() < delay.until;
  }

  /** Doubles the delay. It varies, so that grants that failed at the same time are not tried at the same time. */
  add(key: string): void {
    const failures = this.#delays.get(key)?.failures ?? 0;
    const delay = Math.min(FIRST_MS * 2 ** failures, MAX_MS) * (0.75 + Math.random() / 2);
    const [oldest] = this.#delays.keys();
    if (this.#delays.size >= MAX_ENTRIES && oldest !== undefined) this.#delays.delete(oldest);
    this.#delays.set(key, { failures: failures + 1, until: performance.now() + delay });
  }

  clear(key: string): void {
    this.#delays.delete(key);
  }
}
