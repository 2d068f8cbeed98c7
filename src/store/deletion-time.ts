// The time by which old rows are deleted. A clock that jumps ahead must not delete what is still young.
import { type Clock, TrustedTime } from "../base";
import { query, run, type Transaction } from "./port";
import { fact, setFact } from "./facts";

const REMOVE = query("DELETE FROM facts WHERE name = ?");
/** The latest time that was believed. */
const SEEN = "latest time";
/** The latest time that is not believed yet, and for how long the clock has gone on there. */
const JUMPED = "time after a jump";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A server may have been off for that long. */
const BELIEVED_MS = 7 * DAY_MS;
/** How long the clock must go on after a jump before it is believed. */
const CONFIRMED_MS = DAY_MS;
/** The most that one look counts for, when this process cannot tell how long ago the one before was. */
const MOST_AT_ONCE_MS = 6 * HOUR_MS;
/** How often the time is stored. Clocks that differ by less agree. */
const STORED_EVERY_MS = 60_000;

export class DeletionTime {
  readonly #clock: Clock;
  readonly #time: TrustedTime;
  /** Monotonic time at which a time that is not believed was last stored. */
  #looked: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#time = new TrustedTime(clock, CONFIRMED_MS);
  }

  /**
   * The time now; undefined if nothing may be deleted yet. A time more than 7 days after the last one is believed only after
   * the clock has gone on from there for a day, and so is a jump of the clock while the process runs.
   */
  *now(): Transaction<number | undefined> {
    const now = Math.floor(this.#time.now());
    const seen = numberOf(yield* fact(SEEN));
    if ((seen === undefined || now > seen + BELIEVED_MS) && !(yield* this.#isConfirmed(now)))
      return undefined;
    if (seen === undefined || Math.abs(now - seen) >= STORED_EVERY_MS) {
      yield* setFact(SEEN, String(now));
      yield* run(REMOVE, JUMPED);
    }
    return now;
  }

  // Processes whose clocks are wrong by different amounts must not confirm each other.
  *#isConfirmed(now: number): Transaction<boolean> {
    const [last, before = 0] = (yield* fact(JUMPED))?.split(" ").map(Number) ?? [];
    const passed = last === undefined ? Infinity : now - last;
    if (Math.abs(passed) < STORED_EVERY_MS) return false;
    const monotonic = this.#clock.monotonic();
    const most = this.#looked === undefined ? MOST_AT_ONCE_MS : monotonic - this.#looked;
    this.#looked = monotonic;
    const isOther = passed < 0 || passed > BELIEVED_MS;
    const confirmed = isOther ? 0 : before + Math.min(passed, most);
    if (confirmed >= CONFIRMED_MS) return true;
    yield* setFact(JUMPED, `${now} ${confirmed}`);
    return false;
  }
}

function numberOf(value: string | undefined): number | undefined {
  return value === undefined ? undefined : Number(value);
}
