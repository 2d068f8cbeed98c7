// Whether the caller of a request is still there. Bun makes the signal of a request when it is first asked for, which
// most calls are over before: nobody looks until a call takes a while.
import { type Alarm, LazyAbort, setAlarm } from "../src/base";

const LOOK_AFTER_MS = 100;

/** Aborts when the caller has hung up. Disposed of, it no longer looks. */
export class Departure extends LazyAbort {
  readonly #alarm: Alarm;

  constructor(request: Request) {
    super();
    this.#alarm = setAlarm(LOOK_AFTER_MS, () => {
      if (request.signal.aborted) this.abort();
      else request.signal.addEventListener("abort", () => this.abort());
    });
  }

  [Symbol.dispose](): void {
    this.#alarm.cancel();
  }
}
