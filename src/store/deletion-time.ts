// The time by which old rows are deleted. A clock that jumps ahead must not delete what is still young.
import { type Clock, TrustedTime } from "../base";
import { query, run, type Transaction } from "./port";
import { fact, setFact } from "./facts";

const REMOVE = query("DELETE FROM facts WHERE name = ?");
/** The time of the latest deletion, and the time at which a jump was noticed. */
const SEEN = "latest time";
const JUMPED = "time after a jump";

const DAY_MS = 24 * 3_600_000;
/** A server may have been off for that long. */
const BELIEVED_MS = 7 * DAY_MS;
/** How long the clock must go on after a jump before it is believed. */
const CONFIRMED_MS = DAY_MS;
/** How often the time is stored. */
const STORED_EVERY_MS = 60_000;

export class DeletionTime {
  readonly #time: TrustedTime;

  constructor(clock: Clock) {
    this.#time = new TrustedTime(clock, CONFIRMED_MS);
  }

  /**
   * The time now; undefined if nothing may be deleted yet. A time more than 7 days after the last one is believed only after
   * another day, and so is a jump of the clock while the process runs.
   */
  *now(): Transaction<number | undefined> {
    const now = Math.floor(this.#time.now());
    const seen = numberOf(yield* fact(SEEN));
    if (seen !== undefined && now > seen + BELIEVED_MS) {
      const jumped = numberOf(yield* fact(JUMPED));
      if (jumped === undefined || now < jumped) yield* setFact(JUMPED, String(now));
      if (jumped === undefined || now < jumped + CONFIRMED_MS) return undefined;
    }
    if (seen === undefined || Math.abs(now - seen) >= STORED_EVERY_MS) {
      yield* setFact(SEEN, String(now));
      yield* run(REMOVE, JUMPED);
    }
    return now;
  }
}

function numberOf(value: string | undefined): number | undefined {
  return value === undefined ? undefined : Number(value);
}
