// Decides that a holder (of a lease, a scheduled run, an Idempotency-Key) is dead. A holder changes its row with every
// heartbeat, so it is dead when its row stays the same while it is watched. Times in the row are not used: a clock that is
// set forward makes every holder look overdue, and one that is set back makes a dead holder look alive.
import type { Clock } from "../base";

/** How often a holder changes its row. */
export const HEARTBEAT_MS = 5000;
/** How long a row must stay the same: that many heartbeats. */
const DEAD_AFTER_BEATS = 3;
export const DEAD_AFTER_MS = DEAD_AFTER_BEATS * HEARTBEAT_MS;
/** A transaction that had to wait longer after a look does not act on it. */
const CURRENT_MS = 1000;
/** Rows that are watched at the same time. A row beyond that is watched from the start when it is looked at again. */
const MAX_WATCHED = 10_000;

interface Watched {
  state: string;
  /** Monotonic times of the first and the latest look at this state. */
  since: number;
  looked: number;
}

export class Witness {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #heartbeatMs: number;
  readonly #watched = new Map<string, Watched>();

  /** `heartbeatMs`: for holders that change their rows less often. */
  constructor(clock: Pick<Clock, "monotonic">, heartbeatMs = HEARTBEAT_MS) {
    this.#clock = clock;
    this.#heartbeatMs = heartbeatMs;
  }

  /**
   * Called at each look at a row, with everything in it that a heartbeat changes. True when the row has been the same for
   * three heartbeats (15 s) and this process has looked at it all the time. A process that was frozen or waited for a lock has not looked, and
   * the holder may have waited with it, so the watch starts again.
   */
  isDead(name: string, state: string): boolean {
    const now = this.#clock.monotonic();
    const watched = this.#watched.get(name);
    // The rows that were looked at last come last.
    this.#watched.delete(name);
    if (watched === undefined || watched.state !== state || now - watched.looked > this.#heartbeatMs) {
      this.#watched.set(name, { state, since: now, looked: now });
      const [oldest] = this.#watched.keys();
      if (this.#watched.size > MAX_WATCHED && oldest !== undefined) this.#watched.delete(oldest);
      return false;
    }
    watched.looked = now;
    this.#watched.set(name, watched);
    return now - watched.since >= DEAD_AFTER_BEATS * this.#heartbeatMs;
  }

  /**
   * Asked inside the transaction that takes something from a dead holder. False if the transaction had to wait for the lock:
   * the heartbeat of a living holder may have waited for the same lock.
   */
  isCurrent(name: string): boolean {
    const watched = this.#watched.get(name);
    return watched !== undefined && this.#clock.monotonic() - watched.looked <= CURRENT_MS;
  }
}
