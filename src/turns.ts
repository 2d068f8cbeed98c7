// Work that only one process may do at a time, for each name. The next one waits for it.
import type { Core } from "./core";
import { hashOf, newToken } from "./crypto";
import { unavailable } from "./errors";
import { LeaseLost, Leases } from "./store";

/** Longer than it takes to see that a holder is dead. */
const PATIENCE_MS = 30_000;
const RETRY_AFTER_MS = 1000;

type Parts = Pick<Core, "store" | "clock" | "random" | "log">;

export class Turns {
  readonly #log: Parts["log"];
  readonly #clock: Parts["clock"];
  readonly #leases: Leases;
  /** Those of this process wait for each other without the database: for each name, when the last turn is over. */
  readonly #own = new Map<string, Promise<unknown>>();

  constructor({ store, clock, random, log }: Parts) {
    this.#log = log;
    this.#clock = clock;
    this.#leases = new Leases(store, clock, newToken(random));
  }

  /**
   * Works when its turn has come. `check` is called before what must not be done out of turn. Both throw `unavailable`: when the
   * turn does not come for half a minute, and when it was lost because this process was frozen.
   */
  async during<T>(name: string, work: (check: () => Promise<void>) => Promise<T>): Promise<T> {
    const before = this.#own.get(name) ?? Promise.resolve();
    const done = Promise.withResolvers<void>();
    // One that gives up leaves those behind it where they are.
    const over = Promise.all([before, done.promise]);
    this.#own.set(name, over);
    void over.then(() => {
      if (this.#own.get(name) === over) this.#own.delete(name);
    });
    try {
      return await this.#work(name, before, work);
    } finally {
      done.resolve();
    }
  }

  async #work<T>(
    name: string,
    before: Promise<unknown>,
    work: (check: () => Promise<void>) => Promise<T>,
  ): Promise<T> {
    const end = this.#clock.monotonic() + PATIENCE_MS;
    const isCome = new AbortController();
    const isLate = this.#clock.sleep(PATIENCE_MS, isCome.signal);
    await Promise.race([before, isLate]).finally(() => isCome.abort());
    const left = end - this.#clock.monotonic();
    const held = left > 0 ? await this.#leases.wait(`turn of ${hashOf(name)}`, left) : undefined;
    if (held === undefined) throw outOfTurn();
    try {
      return await work(() => held.check().catch(refuse));
    } finally {
      await this.#leases.release(held, this.#log);
    }
  }
}

function refuse(error: unknown): never {
  throw error instanceof LeaseLost ? outOfTurn(error) : error;
}

function outOfTurn(cause?: unknown): Error {
  return unavailable("Other changes of this record are in progress. Send the request again.", {
    cause,
    retryAfterMs: RETRY_AFTER_MS,
  });
}
