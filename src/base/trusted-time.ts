import type { Clock } from "./clock";

/** Differences that are not a jump: a time server corrects a clock in small steps. */
const SMALL_MS = 1000;

/**
 * The wall clock for decisions about what has expired and may be deleted. A jump ahead counts only after `distrustMs` of
 * monotonic time: it may be a mistake that is corrected, and what has just been stored must not be deleted at once. A clock
 * that is set back is believed, because then nothing expires too early.
 */
export class TrustedTime {
  readonly #clock: Pick<Clock, "now" | "monotonic">;
  readonly #distrustMs: number;
  /** Wall time minus monotonic time. */
  #offset: number;
  #jump: { offset: number; since: number } | undefined;

  constructor(clock: Pick<Clock, "now" | "monotonic">, distrustMs: number) {
    this.#clock = clock;
    this.#distrustMs = distrustMs;
    this.#offset = clock.now() - clock.monotonic();
  }

  now(): number {
    const monotonic = this.#clock.monotonic();
    const offset = this.#clock.now() - monotonic;
    if (offset <= this.#offset + SMALL_MS) {
      this.#offset = offset;
      this.#jump = undefined;
    } else if (this.#jump === undefined || offset > this.#jump.offset + SMALL_MS) {
      this.#jump = { offset, since: monotonic };
    } else if (monotonic - this.#jump.since >= this.#distrustMs) {
      this.#offset = offset;
      this.#jump = undefined;
    }
    return monotonic + this.#offset;
  }
}
