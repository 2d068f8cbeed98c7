// A run that this process has claimed. It is ours as long as its lease is renewed in time.
import type { Core } from "../../core";
import { DEAD_AFTER_MS, HEARTBEAT_MS } from "../../store";
import { extendLease, type ListedRun } from "./repository";

/**
 * How old the last renewal may be without a look at the row. Others may give the run up after `DEAD_AFTER_MS`; the rest is
 * for the request that follows.
 */
const FRESH_MS = DEAD_AFTER_MS - HEARTBEAT_MS;

/** Another process has given the run up. Nothing may be done for it any more. */
export class LeaseLost extends Error {
  constructor() {
    super("Another server has taken this run over.");
  }
}

export class Hold {
  readonly #core: Core;
  readonly run: ListedRun;
  /** Monotonic time of the last renewal. */
  #renewed: number;
  #isLost = false;

  /** `claimed`: monotonic time of the claim. */
  constructor(core: Core, run: ListedRun, claimed: number) {
    this.#core = core;
    this.run = run;
    this.#renewed = claimed;
  }

  async renew(): Promise<void> {
    const { store, clock } = this.#core;
    let at = 0;
    // The transaction may wait long for the lock, so it takes the time itself.
    const changed = await store.write(() => {
      at = clock.monotonic();
      return extendLease(this.run, clock.now() + DEAD_AFTER_MS);
    });
    if (changed === 0) this.#isLost = true;
    else this.#renewed = at;
  }

  /** Called before each effect. Throws `LeaseLost`, and the store's errors if it cannot be made sure. */
  readonly check = async (): Promise<void> => {
    if (!this.#isLost && this.#core.clock.monotonic() - this.#renewed >= FRESH_MS) await this.renew();
    if (this.#isLost) throw new LeaseLost();
  };
}
