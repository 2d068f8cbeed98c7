// Runs whose next attempt was planned by a clock that runs ahead of this one, or before the clock was set back. Each waits as
// long as it was to wait, by monotonic time from the first look.
import { RecentMap } from "../../base";
import type { Core } from "../../core";
import { retriesAhead } from "./due-repository";
import type { ListedRun } from "./repository";

const READ_AT_ONCE = 100;
const REMEMBERED = 1000;

export class RetriesAhead {
  readonly #core: Core;
  /** Monotonic time of the first look at an attempt's end. */
  readonly #seen = new RecentMap<string, number>(REMEMBERED);

  constructor(core: Core) {
    this.#core = core;
  }

  async due(): Promise<ListedRun[]> {
    const { store, clock } = this.#core;
    const runs = await retriesAhead(store, clock.now(), READ_AT_ONCE);
    return runs.filter((run) => this.#isDue(run));
  }

  #isDue({ id, fence, due_at, updated_at }: ListedRun): boolean {
    const now = this.#core.clock.monotonic();
    const key = `${id} ${fence}`;
    const since = this.#seen.get(key) ?? now;
    this.#seen.set(key, since);
    return now - since >= (due_at ?? 0) - updated_at;
  }
}
