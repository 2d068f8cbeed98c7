// Virtual time. Timers of a simulated process fire only while the simulator lets time pass, in the order of their times.
import { AsyncLocalStorage } from "node:async_hooks";

/** The process that a timer belongs to. */
export interface TimerOwner {
  readonly isFrozen: boolean;
}

interface VirtualTimer {
  owner: TimerOwner;
  callback: () => void;
  due: number;
  everyMs: number | undefined;
}

/** What `setTimeout` returns inside a simulated process. */
class Handle {
  readonly timer: VirtualTimer;

  constructor(timer: VirtualTimer) {
    this.timer = timer;
  }

  ref = (): this => this;
  unref = (): this => this;
  hasRef = (): boolean => true;
}

/** Timers that are due within this time fire together. */
const TICK_MS = 250;

export class VirtualTime {
  readonly #context = new AsyncLocalStorage<TimerOwner>();
  readonly #timers = new Set<VirtualTimer>();
  #now = 0;

  /** Milliseconds since the start of the simulation. */
  get now(): number {
    return this.#now;
  }

  /** Runs work whose timers, also those of its continuations, belong to a process. */
  within<T>(owner: TimerOwner, work: () => T): T {
    return this.#context.run(owner, work);
  }

  /** Returns a function that cancels the timer. */
  after(ms: number, owner: TimerOwner, callback: () => void): () => void {
    const timer = this.#add(owner, callback, ms, undefined);
    return () => void this.#timers.delete(timer);
  }

  cancelAll(owner: TimerOwner): void {
    for (const timer of this.#timers) if (timer.owner === owner) this.#timers.delete(timer);
  }

  /** Lets time pass. `settle` resolves when everything that a timer has started has ended or waits again. */
  async pass(ms: number, settle: () => Promise<void>): Promise<void> {
    const end = this.#now + ms;
    while (this.#now < end) {
      const running = [...this.#timers].filter(({ owner }) => !owner.isFrozen);
      const next = running.reduce((earliest, { due }) => Math.min(earliest, due), end);
      this.#now = Math.min(end, Math.ceil(Math.max(next, this.#now + 1) / TICK_MS) * TICK_MS);
      const due = running.filter((timer) => timer.due <= this.#now).toSorted((a, b) => a.due - b.due);
      for (const timer of due) if (this.#timers.has(timer)) this.#fire(timer);
      if (due.length > 0) await settle();
    }
  }

  /** Replaces the global timers for simulated processes; others keep the real ones. */
  install(): Disposable {
    const real = { setTimeout, setInterval, clearTimeout, clearInterval };
    const set =
      (isRepeated: boolean) =>
      (callback: (...args: unknown[]) => void, ms = 0, ...args: unknown[]): unknown => {
        const owner = this.#context.getStore();
        const run = (): void => callback(...args);
        if (owner === undefined) return isRepeated ? real.setInterval(run, ms) : real.setTimeout(run, ms);
        return new Handle(this.#add(owner, run, ms, isRepeated ? Math.max(1, ms) : undefined));
      };
    const clear = (timer: unknown): void => {
      if (timer instanceof Handle) this.#timers.delete(timer.timer);
      else real.clearTimeout(timer as ReturnType<typeof setTimeout>);
    };
    const replaced = { setTimeout: set(false), setInterval: set(true) };
    Object.assign(globalThis, { ...replaced, clearTimeout: clear, clearInterval: clear });
    return { [Symbol.dispose]: () => void Object.assign(globalThis, real) };
  }

  #add(owner: TimerOwner, callback: () => void, ms: number, everyMs: number | undefined): VirtualTimer {
    const timer = { owner, callback, due: this.#now + Math.max(0, ms), everyMs };
    this.#timers.add(timer);
    return timer;
  }

  #fire(timer: VirtualTimer): void {
    if (timer.everyMs === undefined) this.#timers.delete(timer);
    else timer.due = this.#now + timer.everyMs;
    this.#context.run(timer.owner, timer.callback);
  }
}
