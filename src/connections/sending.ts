// The leases under which revocations are sent: one for each order. A consent waits while a process that lives may be sending
// one, and takes the lease from a process that is dead or frozen, so that it cannot end the new grant afterwards.
import type { Core } from "../core";
import { newToken } from "../crypto";
import {
  type HeldLease,
  Leases,
  releaseLease,
  type Seen,
  stillHeld,
  type Taken,
  type Transaction,
} from "../store";

export class Sending {
  readonly #core: Core;
  readonly #leases: Leases;

  constructor(core: Core) {
    this.#core = core;
    this.#leases = new Leases(core.store, core.clock, newToken(core.random));
  }

  look(orderId: string): Promise<Seen> {
    return this.#leases.look(leaseOf(orderId));
  }

  take(orderId: string, seen: Seen): Transaction<Taken | undefined> {
    return this.#leases.take(leaseOf(orderId), seen);
  }

  held(taken: Taken): HeldLease {
    return this.#leases.held(taken);
  }

  /** Whether a live process may be sending one of these orders. Must be called often. */
  async isAny(orderIds: readonly string[]): Promise<boolean> {
    for (const id of orderIds) {
      const seen = await this.look(id);
      if (seen.state === undefined) continue;
      if (!seen.isDead || !(await this.#core.store.write(() => this.takeAway(id, seen)))) return true;
    }
    return false;
  }

  /** Ends the lease of a process that is dead or frozen; false if a live one may be sending the order. */
  *takeAway(orderId: string, seen: Seen): Transaction<boolean> {
    const taken = yield* this.take(orderId, seen);
    if (taken !== undefined) yield* releaseLease(taken.lease);
    return taken !== undefined;
  }

  /** Ends a lease. `work` runs in the same transaction, unless another process has the lease. */
  async end(held: HeldLease, work: () => Transaction<void>): Promise<void> {
    const { lease } = held;
    held.stop();
    await this.#core.store.write(function* () {
      if (!(yield* stillHeld(lease))) return;
      yield* work();
      yield* releaseLease(lease);
    });
  }
}

function leaseOf(orderId: string): string {
  return `revocation ${orderId}`;
}
