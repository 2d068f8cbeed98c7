// Work that only one process may do at a time, for each name. The next one waits for it.
import type { Core } from "./core";
import { hashOf, newToken } from "./crypto";
import { unavailable } from "./errors";
import { type HeldLease, LeaseLost, Leases, releaseLease } from "./store";

/** How often a waiting process looks at the lease; that it was released is told at once. */
const LOOK_MS = 250;
/** Longer than it takes to see that a holder is dead. */
const PATIENCE_MS = 30_000;
const RETRY_AFTER_MS = 1000;

type Parts = Pick<Core, "store" | "clock" | "random" | "log">;

export class Turns {
  readonly #core: Parts;
  readonly #leases: Leases;
  /** Those of this process wait for each other without the database. */
  readonly #own = new Map<string, Promise<unknown>>();

  constructor(core: Parts) {
    this.#core = core;
    this.#leases = new Leases(core.store, core.clock, newToken(core.random));
  }

  /**
   * Works when its turn has come. `check` is called before what must not be done out of turn. Both throw `unavailable`: when the
   * turn does not come for half a minute, and when it was lost because this process was frozen.
   */
  async during<T>(name: string, work: (check: () => Promise<void>) => Promise<T>): Promise<T> {
    const before = this.#own.get(name);
    const turn = (async () => {
      await before?.catch(() => undefined);
      const held = await this.#taken(`turn of ${hashOf(name)}`);
      try {
        return await work(() => held.check().catch(refuse));
      } finally {
        await this.#release(held);
      }
    })();
    this.#own.set(name, turn);
    try {
      return await turn;
    } finally {
      if (this.#own.get(name) === turn) this.#own.delete(name);
    }
  }

  async #taken(name: string): Promise<HeldLease> {
    const { store, clock } = this.#core;
    const end = clock.monotonic() + PATIENCE_MS;
    for (;;) {
      const generation = await store.generation("leases");
      const seen = await this.#leases.look(name);
      const taken = await store.write(() => this.#leases.take(name, seen));
      if (taken !== undefined) return this.#leases.held(taken);
      if (clock.monotonic() >= end) throw outOfTurn();
      await store.changed("leases", generation, { timeoutMs: LOOK_MS });
    }
  }

  /** If this fails, others see after a while that its heart no longer beats. */
  async #release(held: HeldLease): Promise<void> {
    held.stop();
    await this.#core.store
      .write(() => releaseLease(held.lease))
      .catch((error: unknown) => this.#core.log.warn("a lease was not released", { error }));
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
