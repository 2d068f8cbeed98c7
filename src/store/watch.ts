// Waiting for a change: commits of this process are seen at once, those of other processes by a short poll that runs
// only while somebody waits.
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

  /** Wakes whoever waits for a kind that has changed. Engines call it after each commit. */
  async check(): Promise<void> {
    for (const waiter of this.#waiters) {
      // A database that cannot be read right now is asked again at the next poll.
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
