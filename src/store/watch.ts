// Waits for changes. Commits of this process are noticed at once, those of other processes by polling, which only runs while
// there are waiters: one timer for each pace.
import type { Awaitable, Kind, Wait } from "./port";

const POLL_MS = 50;

interface Waiter {
  kind: Kind;
  since: number;
  wake: () => void;
}

interface Pace {
  waiters: Set<Waiter>;
  timer: ReturnType<typeof setInterval>;
}

export class Watch {
  readonly #paces = new Map<number, Pace>();
  readonly #generation: (kind: Kind) => Awaitable<number>;

  constructor(generation: (kind: Kind) => Awaitable<number>) {
    this.#generation = generation;
  }

  async changed(kind: Kind, since: number, wait: Wait): Promise<void> {
    const { timeoutMs, signal, pollMs = POLL_MS } = wait;
    const current = this.#generation(kind);
    if (timeoutMs <= 0 || signal?.aborted) return void (await current);
    if (typeof current === "number" && current !== since) return;
    await new Promise<void>((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", wake);
        this.#remove(pollMs, waiter);
      };
      const wake = (): void => {
        end();
        resolve();
      };
      const waiter: Waiter = { kind, since, wake };
      const timer = setTimeout(wake, timeoutMs);
      signal?.addEventListener("abort", wake);
      // It waits already while the answer is on its way, which may be older than a commit that wakes waiters meanwhile.
      this.#add(pollMs, waiter);
      Promise.resolve(current).then(
        (now) => {
          if (now !== since) wake();
        },
        (error: unknown) => {
          end();
          reject(error);
        },
      );
    });
  }

  /** Wakes the waiters of kinds that have changed. Engines call it after each commit. */
  async check(): Promise<void> {
    for (const pace of this.#paces.values()) await this.#look(pace);
  }

  /** Wakes the waiters of these kinds, which are known to have changed. */
  wake(kinds: { has(kind: Kind): boolean }): void {
    for (const { waiters } of this.#paces.values())
      for (const waiter of waiters) if (kinds.has(waiter.kind)) waiter.wake();
  }

  close(): void {
    for (const { waiters } of this.#paces.values()) for (const waiter of waiters) waiter.wake();
  }

  #add(pollMs: number, waiter: Waiter): void {
    let pace = this.#paces.get(pollMs);
    if (pace === undefined) {
      const made: Pace = { waiters: new Set(), timer: setInterval(() => void this.#look(made), pollMs) };
      this.#paces.set(pollMs, (pace = made));
    }
    pace.waiters.add(waiter);
  }

  #remove(pollMs: number, waiter: Waiter): void {
    const pace = this.#paces.get(pollMs);
    if (pace?.waiters.delete(waiter) !== true || pace.waiters.size > 0) return;
    clearInterval(pace.timer);
    this.#paces.delete(pollMs);
  }

  // Each kind is read once for all its waiters, and all kinds in one turn: an engine may have to ask a server.
  async #look({ waiters }: Pace): Promise<void> {
    const present = [...waiters];
    const kinds = [...new Set(present.map(({ kind }) => kind))];
    const read = await Promise.all(kinds.map((kind) => this.#read(kind)));
    const now = new Map(kinds.map((kind, index) => [kind, read[index]]));
    for (const waiter of present) {
      const generation = now.get(waiter.kind);
      if (generation !== undefined && generation !== waiter.since) waiter.wake();
    }
  }

  /** Undefined if the database cannot be read at the moment; the next poll tries again. */
  async #read(kind: Kind): Promise<number | undefined> {
    try {
      return await this.#generation(kind);
    } catch {
      return undefined;
    }
  }
}
