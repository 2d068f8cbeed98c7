// Notices when the caller of a request hangs up. Bun creates the signal of a request on first access, so the signal is
// accessed only when a call takes a while.
import { type Alarm, LazyAbort, setAlarm } from "../src/base";

const ACCESS_AFTER_MS = 100;

/** Aborts when the caller has hung up, until it is disposed. */
export class Departure extends LazyAbort {
  readonly #alarm: Alarm;

  constructor(request: Request) {
    super();
    this.#alarm = setAlarm(ACCESS_AFTER_MS, () => {
      if (request.signal.aborted) this.abort();
      else request.signal.addEventListener("abort", () => this.abort());
    });
  }

  [Symbol.dispose](): void {
    this.#alarm.cancel();
  }
}
