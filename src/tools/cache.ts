// Caches of catalog tools, one per connection and token: different users and different tokens may see different data.
import { type Clock, isFresh } from "../base";
import type { ConnectionCache } from "./definition";

interface Entry {
  value: unknown;
  from: number;
  keptMs: number;
}

const MAX_CONNECTIONS = 500;
/** The cache of a connection that was not used for this time is removed. */
const IDLE_MS = 3_600_000;
/** Number of entries from which expired ones are removed. */
const SWEEP_FROM = 256;
const MAX_ENTRIES = 100_000;

export class ConnectionCaches {
  readonly #clock: Clock;
  readonly #caches = new Map<string, { version: number; cache: MemoryCache; usedAt: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The cache of a connection for this version of its token. An older one is dropped, except for its lasting part. */
  of(connectionId: string, version: number): ConnectionCache {
    const usedAt = this.#clock.now();
    const known = this.#caches.get(connectionId);
    const current =
      known?.version === version
        ? known
        : { version, cache: new MemoryCache(this.#clock, known?.cache.lasting), usedAt };
    current.usedAt = usedAt;
    // Least recently used first: a re-inserted key goes to the end.
    this.#caches.delete(connectionId);
    this.#caches.set(connectionId, current);
    for (const [oldest, { usedAt: at }] of this.#caches) {
      if (this.#caches.size <= MAX_CONNECTIONS && usedAt - at < IDLE_MS) break;
      this.#caches.delete(oldest);
    }
    return current.cache;
  }

  /** For tools without a grant: a cache for one run. */
  none(): ConnectionCache {
    return new MemoryCache(this.#clock);
  }
}

class MemoryCache implements ConnectionCache {
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();
  readonly #running = new Map<string, Promise<unknown>>();
  #sweepAt = SWEEP_FROM;
  #lasting: MemoryCache | undefined;

  /** `lasting`: that of the previous token. */
  constructor(clock: Clock, lasting?: MemoryCache) {
    this.#clock = clock;
    this.#lasting = lasting;
  }

  get lasting(): MemoryCache {
    return (this.#lasting ??= new MemoryCache(this.#clock));
  }

  get<T>(key: string): T | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    // The catalog that set the value reads it back under the same key with the same type.
    if (isFresh(entry.from, entry.keptMs, this.#clock.now())) return entry.value as T;
    this.#entries.delete(key);
    return undefined;
  }

  set(key: string, value: unknown, ttlMs: number): void {
    if (this.#entries.size >= this.#sweepAt) this.#sweep();
    const [oldest] = this.#entries.keys();
    if (this.#entries.size >= MAX_ENTRIES && oldest !== undefined) this.#entries.delete(oldest);
    this.#entries.set(key, { value, from: this.#clock.now(), keptMs: ttlMs });
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  // Runs when the number of entries has doubled since the last sweep, so that the cost per entry is constant.
  #sweep(): void {
    const now = this.#clock.now();
    for (const [key, { from, keptMs }] of this.#entries)
      if (!isFresh(from, keptMs, now)) this.#entries.delete(key);
    this.#sweepAt = Math.max(SWEEP_FROM, 2 * this.#entries.size);
  }

  once<T>(key: string, work: () => Promise<T>): Promise<T> {
    const running = this.#running.get(key);
    if (running !== undefined) return running as Promise<T>;
    const started = work().finally(() => this.#running.delete(key));
    this.#running.set(key, started);
    return started;
  }
}
