// Finds the runs of servers that died while they ran them.
import type { Core } from "../../core";
import { Witness } from "../../store";
import { type ListedRun, runningRuns } from "./repository";

/** Running runs of all servers that are watched. */
const WATCHED = 1000;

export class DeadHolders {
  readonly #core: Core;
  readonly #witness: Witness;

  constructor(core: Core) {
    this.#core = core;
    this.#witness = new Witness(core.clock);
  }

  /**
   * Runs of other processes whose leases were not renewed while this process watched them. Must be called often. The times
   * of the leases do not count: they are those of other clocks, or of this one before it was set back.
   */
  async runs(isOurs: (run: ListedRun) => boolean): Promise<ListedRun[]> {
    const running = await runningRuns(this.#core.store, WATCHED);
    return running.filter(
      (run) => !isOurs(run) && this.#witness.isDead(run.id, `${run.holder} ${run.fence} ${run.due_at}`),
    );
  }

  /** Asked in the transaction that takes a run over; see `Witness`. */
  isCurrent({ id }: ListedRun): boolean {
    return this.#witness.isCurrent(id);
  }
}
