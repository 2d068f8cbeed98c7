// Caches that a change by any process empties: entries are valid while the generation of their kind does not change.
import type { Awaitable, CacheUse, Kind, Store } from "./port";

export class CachedByGeneration<Key, Value> {
  readonly #store: Store;
  readonly #kind: Kind;
  readonly #limit: number;
  readonly #entries = new Map<Key, Value>();
  readonly #use: CacheUse;
  #generation = -1;

  constructor(store: Store, kind: Kind, limit = 10_000) {
    this.#store = store;
    this.#kind = kind;
    this.#limit = limit;
    this.#use = store.use?.cacheUse(kind) ?? { hits: 0, misses: 0 };
  }

  /** The cached value, or the result of `load`, which is cached even if it is undefined. */
  get(key: Key, load: (key: Key) => Awaitable<Value>): Awaitable<Value> {
    const generation = this.#store.generation(this.#kind);
    if (generation === this.#generation) {
      const cached = this.#entries.get(key);
      // Most calls return here, without a promise.
      if (cached !== undefined) {
        this.#use.hits++;
        return cached;
      }
    }
    return this.#load(key, load, generation);
  }

  /** The cached value, if it is still valid. */
  peek(key: Key): Awaitable<Value | undefined> {
    const generation = this.#store.generation(this.#kind);
    const valid = (current: number): Value | undefined =>
      current === this.#generation ? this.#entries.get(key) : undefined;
    return typeof generation === "number" ? valid(generation) : generation.then(valid);
  }

  /** Loads a value and replaces the cached one. */
  async renew(key: Key, load: (key: Key) => Awaitable<Value>): Promise<Value> {
    this.#entries.delete(key);
    return this.#load(key, load, this.#store.generation(this.#kind));
  }

  async #load(key: Key, load: (key: Key) => Awaitable<Value>, current: Awaitable<number>): Promise<Value> {
    const generation = await current;
    if (generation !== this.#generation) {
      this.#entries.clear();
      this.#generation = generation;
    }
    const cached = this.#entries.get(key);
    if (cached !== undefined || this.#entries.has(key)) {
      this.#use.hits++;
      return cached as Value;
    }
    this.#use.misses++;
    const value = await load(key);
    // A value that was loaded under an older generation may be stale. It is returned, but not cached. Answers of a database
    // server may overtake each other: while this one was on its way, another call may have seen the change.
    const latest = await this.#store.generation(this.#kind);
    if (generation !== latest || generation !== this.#generation) return value;
    if (this.#entries.size >= this.#limit) this.#entries.clear();
    this.#entries.set(key, value);
    return value;
  }
}
