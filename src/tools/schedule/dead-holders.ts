// Finds the runs of servers that died while they ran them.
import type { Core } from "../../core";
import { DEAD_AFTER_MS, HEARTBEAT_MS, Witness } from "../../store";
import { type ListedRun, runningRuns } from "./repository";

/** Running runs of all servers that are watched. */
const WATCHED = 1000;
/** How long leases of any length are watched after a start and after the clock was set back. */
const FUTURE_WATCHED_MS = 2 * DEAD_AFTER_MS;

export class DeadHolders {
  readonly #core: Core;
  readonly #witness: Witness;
  /** Wall time minus monotonic time. */
  #offset: number;
  #futureWatchedUntil: number;

  constructor(core: Core) {
    this.#core = core;
    this.#witness = new Witness(core.clock);
    this.#offset = core.clock.now() - core.clock.monotonic();
    this.#futureWatchedUntil = core.clock.monotonic() + FUTURE_WATCHED_MS;
  }

  /** Runs of other processes whose leases were not renewed while this process watched them. Must be called often. */
  async runs(isOurs: (run: ListedRun) => boolean): Promise<ListedRun[]> {
    const running = await runningRuns(this.#core.store, this.#latestLease(), WATCHED);
    return running.filter(
      (run) => !isOurs(run) && this.#witness.isDead(run.id, `${run.holder} ${run.fence} ${run.due_at}`),
    );
  }

  /** Asked in the transaction that takes a run over; see `Witness`. */
  isCurrent({ id }: ListedRun): boolean {
    return this.#witness.isCurrent(id);
  }

  // No lease ends later than that, unless the clock was set back. To look for all leases at all times would read all runs
  // that wait for their time.
  #latestLease(): number {
    const { clock } = this.#core;
    const now = clock.now();
    const offset = now - clock.monotonic();
    if (offset < this.#offset - HEARTBEAT_MS)
      this.#futureWatchedUntil = clock.monotonic() + FUTURE_WATCHED_MS;
    this.#offset = offset;
    return clock.monotonic() < this.#futureWatchedUntil ? Number.MAX_SAFE_INTEGER : now + 2 * DEAD_AFTER_MS;
  }
}
