// What a store has done since it was opened, for metrics.
import type { CacheUse, Kind, StoreObserver, StoreUse } from "./port";

export class CountedUse implements StoreUse {
  readonly caches = new Map<Kind, CacheUse>();
  readonly #waiting: () => number;
  #observer: StoreObserver | undefined;

  /** `waiting`: how many writes wait for a transaction. */
  constructor(waiting: () => number) {
    this.#waiting = waiting;
  }

  get waitingWrites(): number {
    return this.#waiting();
  }

  cacheUse(kind: Kind): CacheUse {
    const use = this.caches.get(kind) ?? { hits: 0, misses: 0 };
    this.caches.set(kind, use);
    return use;
  }

  observe(observer: StoreObserver): void {
    this.#observer = observer;
  }

  /** Runs a read. */
  read<T>(work: () => T): T {
    const observer = this.#observer;
    if (observer === undefined) return work();
    const started = performance.now();
    const result = work();
    observer.read(performance.now() - started);
    return result;
  }

  /** A read has taken that long. */
  didRead(ms: number): void {
    this.#observer?.read(ms);
  }

  /** A group of writes has been committed. `since`: when each was ordered; `begun`: when their transaction began. */
  wrote(group: readonly { since: number }[], begun: number): void {
    const observer = this.#observer;
    if (observer === undefined) return;
    const now = performance.now();
    for (const { since } of group) observer.wrote(now - since, Math.max(0, begun - since));
  }
}
