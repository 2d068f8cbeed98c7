// What programs write on standard error, as log lines. A program may write as much as it likes; the log gets some of it.
import type { Clock, LeveledLog } from "../../base";

const MOST_LINES = 20;
const WINDOW_MS = 10_000;
const LONGEST = 500;

export class ErrorLog {
  readonly #clock: Clock;
  readonly #log: LeveledLog;
  readonly #facts: object;
  #seen: readonly string[] = [];
  #from: number;
  #count = 0;

  constructor({ clock, log }: { clock: Clock; log: LeveledLog }, facts: object) {
    this.#clock = clock;
    this.#log = log;
    this.#facts = facts;
    this.#from = clock.monotonic();
  }

  /** `lines`: the last ones that the program has written. Those that are new are written to the log, within the limit. */
  take(lines: readonly string[]): void {
    const fresh = lines.slice(overlapOf(this.#seen, lines));
    this.#seen = lines;
    const now = this.#clock.monotonic();
    if (now - this.#from >= WINDOW_MS) [this.#from, this.#count] = [now, 0];
    for (const text of fresh) {
      if (++this.#count <= MOST_LINES)
        this.#log.info("a program wrote", { ...this.#facts, text: text.slice(0, LONGEST) });
    }
  }
}

/** How many of the first lines were the last ones before. */
function overlapOf(before: readonly string[], lines: readonly string[]): number {
  for (let count = Math.min(before.length, lines.length); count > 0; count--) {
    if (Bun.deepEquals(before.slice(-count), lines.slice(0, count))) return count;
  }
  return 0;
}
