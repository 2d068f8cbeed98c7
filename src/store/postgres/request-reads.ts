// What the steps of one request know of the generations. Asking before each step would cost a round trip for each; a request
// that runs ten steps in a millisecond asks once. A change that was acknowledged before a request began is always seen.
import { AsyncLocalStorage } from "node:async_hooks";
import type { Awaitable } from "../port";

export type Generations = ReadonlyMap<string, number>;

/** How long a step may rely on what an earlier step of its request has read. Waits for others take longer. */
const VALID_MS = 10;

interface Known {
  value: Awaitable<Generations> | undefined;
  /** When it was asked for (`performance.now`), and how many changes had been heard of. */
  since: number;
  changes: number;
}

export class RequestReads {
  readonly #requests = new AsyncLocalStorage<Known>();
  #changes = 0;

  within<T>(work: () => T): T {
    return this.#requests.run({ value: undefined, since: 0, changes: 0 }, work);
  }

  /** Something has changed: what is known is read again. */
  changed(): void {
    this.#changes++;
  }

  /** What the request of the caller knows, or the result of `read`. */
  get(read: () => Promise<Generations>): Awaitable<Generations> {
    const known = this.#requests.getStore();
    if (known === undefined) return read();
    const now = performance.now();
    if (known.value !== undefined && known.changes === this.#changes && now - known.since < VALID_MS)
      return known.value;
    const [since, changes] = [now, this.#changes];
    const asked = read();
    Object.assign(known, { value: asked, since, changes });
    const settle = (value: Generations | undefined): void => {
      if (known.value === asked) known.value = value;
    };
    asked.then(settle, () => settle(undefined));
    return asked;
  }
}
