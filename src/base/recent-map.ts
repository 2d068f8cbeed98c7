// A map with a bounded number of entries: the ones that were set most recently.

/**
 * Keeps at least the newest `size` entries, and at most twice as many. Two maps in turn, because removing the oldest entry
 * of one map costs the engine time in proportion to its size.
 */
export class RecentMap<K, V> {
  readonly #size: number;
  #newer = new Map<K, V>();
  #older = new Map<K, V>();

  constructor(size: number) {
    this.#size = size;
  }

  get(key: K): V | undefined {
    return this.#newer.get(key) ?? this.#older.get(key);
  }

  set(key: K, value: V): void {
    if (this.#newer.size >= this.#size && !this.#newer.has(key)) {
      this.#older = this.#newer;
      this.#newer = new Map();
    }
    this.#newer.set(key, value);
  }
}
