// Waits for changes. Commits of this process are noticed at once, those of other processes by polling, which only runs while
// there are waiters.
import type { Awaitable, Kind, Wait } from "./port";

const POLL_MS = 50;

interface Waiter {
  kind: Kind;
  since: number;
  wake: () => void;
}

export class Watch {
  readonly #waiters = new Set<Waiter>();
  readonly #generation: (kind: Kind) => Awaitable<number>;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(generation: (kind: Kind) => Awaitable<number>) {
    this.#generation = generation;
  }

  async changed(kind: Kind, since: number, { timeoutMs, signal }: Wait): Promise<void> {
    if ((await this.#generation(kind)) !== since || timeoutMs <= 0 || signal?.aborted) return;
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", wake);
        this.#waiters.delete(waiter);
        if (this.#waiters.size === 0) this.#stop();
        resolve();
      };
      const waiter: Waiter = { kind, since, wake };
      const timer = setTimeout(wake, timeoutMs);
      signal?.addEventListener("abort", wake);
      this.#waiters.add(waiter);
      this.#timer ??= setInterval(() => void this.check(), POLL_MS);
    });
  }

  /** Wakes the waiters of kinds that have changed. Engines call it after each commit. */
  async check(): Promise<void> {
    for (const waiter of this.#waiters) {
      // If the database cannot be read at the moment, the next poll tries again.
      const now = await Promise.resolve(waiter.since)
        .then(() => this.#generation(waiter.kind))
        .catch(() => waiter.since);
      if (now !== waiter.since) waiter.wake();
    }
  }

  close(): void {
    for (const waiter of this.#waiters) waiter.wake();
    this.#stop();
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
