// Runs that cannot be taken are tried again after growing pauses, so that they delay no others and fill no log.
import type { Core } from "../../core";

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 60_000;
const MAX_RUNS = 1000;

export class Delays {
  readonly #core: Core;
  /** Monotonic times, by the run's id. */
  readonly #runs = new Map<string, { until: number; pause: number }>();

  constructor(core: Core) {
    this.#core = core;
  }

  has(id: string): boolean {
    return this.#core.clock.monotonic() < (this.#runs.get(id)?.until ?? -Infinity);
  }

  /** False if `take` fails. */
  async onFailure(id: string, take: () => Promise<boolean>): Promise<boolean> {
    try {
      const taken = await take();
      this.#runs.delete(id);
      return taken;
    } catch (error) {
      const before = this.#runs.get(id);
      if (before === undefined) this.#core.log.warn("scheduled run not taken", { id, error });
      const pause = before === undefined ? FIRST_PAUSE_MS : Math.min(2 * before.pause, LONGEST_PAUSE_MS);
      this.#runs.set(id, { until: this.#core.clock.monotonic() + pause, pause });
      const [oldest] = this.#runs.keys();
      if (this.#runs.size > MAX_RUNS && oldest !== undefined) this.#runs.delete(oldest);
      return false;
    }
  }
}
