// The clocks of a simulated process. Both may run fast or slow; only the wall clock jumps.
import type { Clock } from "../../src/base";
import type { Life } from "./life";
import type { VirtualTime } from "./virtual-time";

/** The wall clock at the beginning of a simulation. */
export const START = Date.UTC(2030, 0, 1);

export class SimulatedClock {
  readonly #time: VirtualTime;
  #aheadMs = 0;
  #rate = 1;
  /** The time of both clocks at the last change of the rate. */
  #from = { virtual: 0, shown: 0 };

  constructor(time: VirtualTime) {
    this.#time = time;
  }

  monotonic(): number {
    return this.#from.shown + (this.#time.now - this.#from.virtual) * this.#rate;
  }

  now(): number {
    return Math.floor(START + this.monotonic() + this.#aheadMs);
  }

  /** Moves the wall clock alone. */
  jump(ms: number): void {
    this.#aheadMs += ms;
  }

  /** Both clocks run at this rate from now on; 1 is right. */
  drift(rate: number): void {
    this.#from = { virtual: this.#time.now, shown: this.monotonic() };
    this.#rate = rate;
  }

  /** What a runtime gets. Its sleeps are ended by the end of its process. */
  of(life: Life): Clock {
    return {
      now: () => this.now(),
      monotonic: () => this.monotonic(),
      sleep: (ms, signal) => this.sleep(life, ms, signal),
    };
  }

  sleep(life: Life, ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.#time.after(ms, life, resolve);
      signal?.addEventListener("abort", () => {
        cancel();
        resolve();
      });
    });
  }
}
