// A cache that a change by any process empties at once: entries live only as long as their kind's generation.
import type { Awaitable, Kind, Store } from "./port";

export class CachedByGeneration<Key, Value> {
  readonly #store: Store;
  readonly #kind: Kind;
  readonly #limit: number;
  readonly #entries = new Map<Key, Value>();
  #generation = -1;

  constructor(store: Store, kind: Kind, limit = 10_000) {
    this.#store = store;
    this.#kind = kind;
    this.#limit = limit;
  }

  /** The cached value, or what `load` finds. Whatever it finds is remembered, `undefined` included. */
  get(key: Key, load: (key: Key) => Awaitable<Value>): Awaitable<Value> {
    const generation = this.#store.generation(this.#kind);
    // Most calls end here, without a turn of the event loop's queue.
    if (generation === this.#generation && this.#entries.has(key)) return this.#entries.get(key) as Value;
    return this.#load(key, load, generation);
  }

  /** The cached value, when it is there and still counts. */
  peek(key: Key): Value | undefined {
    return this.#store.generation(this.#kind) === this.#generation ? this.#entries.get(key) : undefined;
  }

  /** What `load` finds now, remembered in place of what was there. */
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
    if (cached !== undefined || this.#entries.has(key)) return cached as Value;
    const value = await load(key);
    // What was loaded under an older generation may be stale already: use it, but do not keep it.
    if (generation !== this.#generation || generation !== (await this.#store.generation(this.#kind)))
      return value;
    if (this.#entries.size >= this.#limit) this.#entries.clear();
    this.#entries.set(key, value);
    return value;
  }
}
