// Values that are believed for a while. When there are too many, those that were learned first go.

export class Memory<Value> {
  readonly #size: number;
  readonly #entries = new Map<string, { value: Value; until: number }>();

  constructor(size: number) {
    this.#size = size;
  }

  get(key: string, now: number): Value | undefined {
    const entry = this.#entries.get(key);
    return entry !== undefined && entry.until > now ? entry.value : undefined;
  }

  set(key: string, value: Value, until: number): void {
    // A key that is set again counts as learned now.
    this.#entries.delete(key);
    this.#entries.set(key, { value, until });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > this.#size && oldest !== undefined) this.#entries.delete(oldest);
  }
}
