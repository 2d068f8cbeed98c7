// Caches of catalog tools, one per connection and token: what one user may see says nothing about another, and what
// an old token saw says nothing about a new one.
import type { Clock } from "../base";
import type { ConnectionCache } from "./definition";

interface Entry {
  value: unknown;
  expiresAt: number;
}

const MAX_CONNECTIONS = 500;
const MAX_ENTRIES = 100_000;

export class ConnectionCaches {
  readonly #clock: Clock;
  readonly #caches = new Map<string, { version: number; cache: MemoryCache }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The cache of a connection at this version of its token; an older one is dropped. */
  of(connectionId: string, version: number): ConnectionCache {
    const known = this.#caches.get(connectionId);
    const current = known?.version === version ? known : { version, cache: new MemoryCache(this.#clock) };
    // Least recently used first: a re-inserted key goes to the end.
    this.#caches.delete(connectionId);
    this.#caches.set(connectionId, current);
    const [oldest] = this.#caches.keys();
    if (this.#caches.size > MAX_CONNECTIONS && oldest !== undefined) this.#caches.delete(oldest);
    return current.cache;
  }

  /** For tools without a grant: lives for one run only. */
  none(): ConnectionCache {
    return new MemoryCache(this.#clock);
  }
}

class MemoryCache implements ConnectionCache {
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();
  readonly #running = new Map<string, Promise<unknown>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get<T>(key: string): T | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    // The catalog that set the value reads it back under the same key with the same type.
    if (entry.expiresAt > this.#clock.now()) return entry.value as T;
    this.#entries.delete(key);
    return undefined;
  }

  set(key: string, value: unknown, ttlMs: number): void {
    const [oldest] = this.#entries.keys();
    if (this.#entries.size >= MAX_ENTRIES && oldest !== undefined) this.#entries.delete(oldest);
    this.#entries.set(key, { value, expiresAt: this.#clock.now() + ttlMs });
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  once<T>(key: string, work: () => Promise<T>): Promise<T> {
    const running = this.#running.get(key);
    if (running !== undefined) return running as Promise<T>;
    const started = work().finally(() => this.#running.delete(key));
    this.#running.set(key, started);
    return started;
  }
}
