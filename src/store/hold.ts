// What this process holds: a lease or a scheduled run. It is ours as long as a heartbeat changes its row in time.
import type { Clock } from "../base";
import type { Store, Transaction } from "./port";
import { DEAD_AFTER_MS, HEARTBEAT_MS } from "./witness";

/**
 * How old the last renewal may be without a look at the row. Others may take over after `DEAD_AFTER_MS`; the rest is for the
 * request that follows.
 */
const FRESH_MS = DEAD_AFTER_MS - HEARTBEAT_MS;

/** Another process has taken over. Nothing may be done for it any more. */
export class LeaseLost extends Error {
  constructor() {
    super("Another process has taken this over.");
  }
}

export class Hold {
  readonly #store: Store;
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #extend: () => Transaction<number>;
  /** Monotonic time of the last renewal. */
  #renewed: number;
  #isLost = false;

  /** `extend` changes the row; it returns 0 if the row is no longer ours. `taken`: monotonic time at which it became ours. */
  constructor(
    store: Store,
    clock: Pick<Clock, "monotonic">,
    extend: () => Transaction<number>,
    taken: number,
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#extend = extend;
    this.#renewed = taken;
  }

  /** No other process can have taken over, and none can for some seconds. Needs no wait, so it is the last check. */
  get isFresh(): boolean {
    return !this.#isLost && this.#clock.monotonic() - this.#renewed < FRESH_MS;
  }

  async renew(): Promise<void> {
    let at = 0;
    // The transaction may wait long for the lock, so it takes the time itself.
    const changed = await this.#store.write(() => {
      at = this.#clock.monotonic();
      return this.#extend();
    });
    if (changed === 0) this.#isLost = true;
    else this.#renewed = at;
  }

  /** Called before each effect. Throws `LeaseLost`, and the store's errors if it cannot be made sure. */
  readonly check = async (): Promise<void> => {
    while (!this.isFresh) {
      if (!this.#isLost) await this.renew();
      if (this.#isLost) throw new LeaseLost();
    }
  };
}
