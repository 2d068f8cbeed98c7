// The time that a run has, its repeat included. It ends early when the caller is gone.
import { type Abortable, type Alarm, LazyAbort, setAlarm } from "../base";

/** A tool that listens to its signal reports better than we can: it gets this long to do so. */
const GRACE_MS = 100;

/** Real time, not the runtime's clock: what it limits is real too. */
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
    // A signal that is aborted already never says so again.
    if (caller?.aborted) this.#end();
    caller?.addEventListener("abort", this.#end);
  }

  get over(): boolean {
    return this.#over;
  }

  /** Aborts when the time is over. */
  get stop(): Abortable {
    return this.#stop;
  }

  /** The same as a real signal, made when it is first asked for: not every tool listens. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** What the work answers; a moment after the signal, what `cutOff` makes: for work that does not listen to it. */
  within<T>(work: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#reject = reject;
      work.then(resolve, reject);
      if (this.#cut !== undefined) reject(this.#cut);
    });
  }

  /** Drops the timers and what waits for the caller. */
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
