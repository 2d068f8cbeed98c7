// A value that is read at most once a second, and once for all who ask at the same time.
import { type Clock, isFresh } from "../../base";

const FRESH_MS = 1000;

export class Remembered<T> {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #read: () => Promise<T>;
  #value: Promise<T> | undefined;
  #at = 0;

  constructor(clock: Pick<Clock, "monotonic">, read: () => Promise<T>) {
    this.#clock = clock;
    this.#read = read;
  }

  /** Rejects if it cannot be read, for everybody who asks within the second. */
  get(): Promise<T> {
    const now = this.#clock.monotonic();
    if (this.#value !== undefined && isFresh(this.#at, FRESH_MS, now)) return this.#value;
    this.#at = now;
    this.#value = this.#read();
    return this.#value;
  }
}
