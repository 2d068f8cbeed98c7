// How late the event loop is: a timer that should fire at fixed times.
import { Histogram } from "../families";

const EVERY_MS = 250;
/** Limits of buckets in seconds. */
const LIMITS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

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

  /** Measures until the returned function is called. */
  watch(): () => void {
    let expected = performance.now() + EVERY_MS;
    const timer = setInterval(() => {
      const now = performance.now();
      this.family.observe([], now - expected);
      expected = now + EVERY_MS;
    }, EVERY_MS);
    timer.unref();
    return () => clearInterval(timer);
  }
}
