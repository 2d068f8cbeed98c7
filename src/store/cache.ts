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
    if (generation === this.#generation) {
      const cached = this.#entries.get(key);
      // Most calls end here, without a turn of the event loop's queue.
      if (cached !== undefined) return cached;
    }
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

/** The same for records that belong to somebody (a project): two short names are looked up faster than a joined one. */
export class CachedByOwner<Value extends object> {
  readonly #limit: number;
  readonly #ofOwner: CachedByGeneration<string, Map<string, Value>>;

  /** `limit`: records of one owner that are kept. */
  constructor(store: Store, kind: Kind, limit = 1000) {
    this.#limit = limit;
    this.#ofOwner = new CachedByGeneration(store, kind);
  }

  /** The cached value, or what `load` finds, which is remembered. What it throws is not. */
  get(owner: string, key: string, load: () => Awaitable<Value>): Awaitable<Value> {
    return this.#ofOwner.peek(owner)?.get(key) ?? this.#load(owner, key, load);
  }

  async #load(owner: string, key: string, load: () => Awaitable<Value>): Promise<Value> {
    // Asked for before the value: one that is read after the generation has changed goes where nobody looks any more.
    const known = await this.#ofOwner.get(owner, () => new Map());
    const cached = known.get(key);
    if (cached !== undefined) return cached;
    const value = await load();
    if (known.size >= this.#limit) known.clear();
    known.set(key, value);
    return value;
  }
}
