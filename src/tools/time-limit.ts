// The time limit of a run, including its retry. It ends early if the caller disconnects.
import { type Abortable, type Alarm, LazyAbort, setAlarm } from "../base";

/** Time for a tool to handle its signal, because its own error is better. */
const GRACE_MS = 100;

/** Uses real time, not the runtime's clock. */
export class TimeLimit {
  readonly #caller: Abortable | undefined;
  readonly #cutOff: () => Error;
  readonly #alarm: Alarm;
  readonly #stop = new LazyAbort();
  #over = false;
  #grace: ReturnType<typeof setTimeout> | undefined;
  #reject: ((error: Error) => void) | undefined;
  #cut: Error | undefined;

  constructor(timeoutMs: number, caller: Abortable | undefined, cutOff: () => Error) {
    this.#caller = caller;
    this.#cutOff = cutOff;
    this.#alarm = setAlarm(timeoutMs, this.#end);
    // A signal that is already aborted sends no event.
    if (caller?.aborted) this.#end();
    caller?.addEventListener("abort", this.#end);
  }

  get over(): boolean {
    return this.#over;
  }

  /** Time until then, ms. */
  get left(): number {
    return this.#alarm.left();
  }

  /** Aborts when the time is over. */
  get stop(): Abortable {
    return this.#stop;
  }

  /** Like `stop`, as an `AbortSignal`; created on demand, because not every tool uses it. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** The result of the work; rejects with `cutOff()` shortly after the signal, for work that ignores it. */
  within<T>(work: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#reject = reject;
      work.then(resolve, reject);
      if (this.#cut !== undefined) reject(this.#cut);
    });
  }

  /** Removes the timers and the listener. */
  [Symbol.dispose](): void {
    this.#alarm.cancel();
    clearTimeout(this.#grace);
    this.#caller?.removeEventListener("abort", this.#end);
  }

  readonly #end = (): void => {
    this.#over = true;
    this.#grace ??= setTimeout(() => {
      this.#cut = this.#cutOff();
      this.#reject?.(this.#cut);
    }, GRACE_MS);
    this.#stop.abort();
  };
}
