// Limits log lines that callers cause: so many of each kind in a while, and the number of those that were left out.
import type { Clock } from "./clock";

const WINDOW_MS = 10_000;
const PER_WINDOW = 20;

interface Window {
  from: number;
  count: number;
}

export class BoundedKinds {
  readonly #clock: Pick<Clock, "monotonic">;
  /** By kind. The kinds are few, because code names them and not callers. */
  readonly #windows = new Map<string, Window>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /**
   * Undefined for one too many. The last line of a while says that no more follow, and the first one of the next while how
   * many were left out.
   */
  take(kind: string): { left_out?: number; next?: string } | undefined {
    const now = this.#clock.monotonic();
    const before = this.#windows.get(kind);
    if (before === undefined || now - before.from >= WINDOW_MS) {
      this.#windows.set(kind, { from: now, count: 1 });
      const leftOut = (before?.count ?? 0) - PER_WINDOW;
      return leftOut > 0 ? { left_out: leftOut } : {};
    }
    before.count++;
    if (before.count > PER_WINDOW) return undefined;
    const rest = Math.ceil((WINDOW_MS - (now - before.from)) / 1000);
    return before.count < PER_WINDOW ? {} : { next: `refusals like this are left out for ${rest} s` };
  }
}
