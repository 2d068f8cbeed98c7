// A run that this process has claimed.
import type { Core } from "../../core";
import { DEAD_AFTER_MS, Hold } from "../../store";
import { extendLease, type ListedRun } from "./repository";

export class RunHold extends Hold {
  readonly run: ListedRun;

  /** `claimed`: monotonic time of the claim. */
  constructor({ store, clock }: Core, run: ListedRun, claimed: number) {
    super(store, clock, () => extendLease(run, clock.now() + DEAD_AFTER_MS), claimed);
    this.run = run;
  }
}
