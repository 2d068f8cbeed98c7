// How late the event loop is: a timer that should fire at fixed times.
import { Histogram } from "../families";

const EVERY_MS = 250;
/** Limits of buckets in seconds. */
const LIMITS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const PART_MS = 10_000;
const MINUTE_MS = 60_000;

/** The largest value of the last minute, or of up to ten seconds more. */
class LongestOfMinute {
  /** The largest value of each ten seconds, by their number. */
  readonly #parts = new Map<number, number>();

  add(now: number, value: number): void {
    const part = Math.floor(now / PART_MS);
    this.#parts.set(part, Math.max(value, this.#parts.get(part) ?? 0));
    for (const old of this.#parts.keys()) if (old < part - MINUTE_MS / PART_MS) this.#parts.delete(old);
  }

  at(now: number): number {
    const first = Math.floor((now - MINUTE_MS) / PART_MS);
    return Math.max(0, ...[...this.#parts].filter(([part]) => part >= first).map(([, value]) => value));
  }
}

export class EventLoop {
  readonly family = new Histogram(
    {
      name: "runtime_event_loop_delay_seconds",
      help: "How late a timer of the process fires, which is how long other work waits.",
      unit: "seconds",
      labels: [],
    },
    LIMITS,
  );

  readonly #longest = new LongestOfMinute();

  /** How late it was at most in the last minute. */
  get longestMs(): number {
    return this.#longest.at(performance.now());
  }

  /** Measures until the returned function is called. */
  watch(): () => void {
    let expected = performance.now() + EVERY_MS;
    const timer = setInterval(() => {
      const now = performance.now();
      this.family.observe([], now - expected);
      this.#longest.add(now, now - expected);
      expected = now + EVERY_MS;
    }, EVERY_MS);
    timer.unref();
    return () => clearInterval(timer);
  }
}
