// The leases under which tokens are refreshed: one for each connection.
import type { Core } from "../core";
import { newToken } from "../crypto";
import { type HeldLease, LeaseLost, Leases, type Seen, type Taken } from "../store";
import type { Transaction } from "../store";
import * as repository from "./repository";
import type { ConnectionRow } from "./repository";
import { TokenRequestError } from "./token-answer";

/** How much longer a consent waits for a refresh than the longest token request takes. */
const HOLD_MARGIN_MS = 15_000;

/** Another process has taken the lease or stored newer tokens, so the refresh token may no longer be sent. */
export class Superseded extends TokenRequestError {
  constructor() {
    super("Another process refreshes this grant.", { transient: true });
  }
}

export class RefreshLeases {
  readonly #core: Core;
  readonly #leases: Leases;

  constructor(core: Core) {
    this.#core = core;
    this.#leases = new Leases(core.store, core.clock, newToken(core.random));
  }

  look(connectionId: string): Promise<Seen> {
    return this.#leases.look(leaseOf(connectionId));
  }

  take(connectionId: string, seen: Seen): Transaction<Taken | undefined> {
    return this.#leases.take(leaseOf(connectionId), seen);
  }

  held(taken: Taken): HeldLease {
    return this.#leases.held(taken);
  }

  /** Waits until no refresh is in progress and takes the lease. Undefined if a refresh takes longer than any should. */
  async hold(connectionId: string, isUnstored: () => boolean): Promise<HeldLease | undefined> {
    const patienceMs = this.#core.settings["egress.timeout"] * 1000 + HOLD_MARGIN_MS;
    return this.#leases.wait(leaseOf(connectionId), patienceMs, () => !isUnstored());
  }

  changed(generation: number): Promise<void> {
    return this.#leases.changed(generation);
  }

  release(held: HeldLease): Promise<void> {
    return this.#leases.release(held, this.#core.log);
  }

  /**
   * The last check before a refresh token is sent. This process may have been frozen since it took the lease; another one
   * may have replaced the token then. Throws `Superseded`, or another `TokenRequestError` if it cannot be made sure.
   */
  async check(lease: HeldLease, seen: ConnectionRow): Promise<void> {
    try {
      for (;;) {
        await lease.check();
        const row = await repository.findConnectionById(this.#core.store, seen.project_id, seen.id);
        if (row?.token_version !== seen.token_version) throw new Superseded();
        // Needs no wait, so it is still true when the request leaves.
        if (lease.isFresh) return;
      }
    } catch (error) {
      if (error instanceof Superseded) throw error;
      throw error instanceof LeaseLost ? new Superseded() : databaseFailure(error);
    }
  }
}

function leaseOf(connectionId: string): string {
  return `refresh of ${connectionId}`;
}

/** Nothing was sent, so the caller may try again. */
export function databaseFailure(cause: unknown): TokenRequestError {
  const message = "The database cannot be written at the moment.";
  return new TokenRequestError(message, { transient: true, cause });
}
