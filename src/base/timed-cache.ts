// A cache in memory with a bounded number of entries, each valid for a limited time.
import { type Clock, isFresh } from "./clock";

export class TimedCache<Key, Value> {
  readonly #clock: Clock;
  readonly #ttlMs: number;
  readonly #maxEntries: number;
  readonly #entries = new Map<Key, { value: Value; from: number; ttlMs: number }>();

  constructor(clock: Clock, ttlMs: number, maxEntries: number) {
    this.#clock = clock;
    this.#ttlMs = ttlMs;
    this.#maxEntries = maxEntries;
  }

  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || !isFresh(entry.from, entry.ttlMs, this.#clock.now())) return undefined;
    return entry.value;
  }

  /** Replaces the entry of the key; the oldest entry makes room for a new one. `from`: when the value was made, ms. */
  set(key: Key, value: Value, from = this.#clock.now(), ttlMs = this.#ttlMs): void {
    this.#entries.delete(key);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size >= this.#maxEntries && oldest !== undefined) this.#entries.delete(oldest);
    this.#entries.set(key, { value, from, ttlMs });
  }

  delete(key: Key): void {
    this.#entries.delete(key);
  }
}
