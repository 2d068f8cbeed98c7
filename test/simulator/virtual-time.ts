// Virtual time. Timers of a simulated process fire only while the simulator lets time pass, in the order of their times.
import { AsyncLocalStorage } from "node:async_hooks";
import { randomOf } from "../support/long";

/** The process that a timer belongs to. */
export interface TimerOwner {
  readonly isAlive: boolean;
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
const TICK_MS = 500;

export class VirtualTime {
  readonly #context = new AsyncLocalStorage<TimerOwner>();
  readonly #timers = new Set<VirtualTimer>();
  #now = 0;
  #spentMs = 0;

  /** Milliseconds since the start of the simulation. */
  get now(): number {
    return this.#now;
  }

  /** What processes measure in addition: work takes a moment although the time of the simulation does not pass. */
  spend(ms: number): void {
    this.#spentMs += ms;
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

  /** Fires the timers of a process that has ended for the last time, so that what it has queued is given up. */
  end(owner: TimerOwner): void {
    const ended = [...this.#timers].filter((timer) => timer.owner === owner);
    for (const timer of ended) this.#timers.delete(timer);
    for (const { callback } of ended) this.#context.run(owner, callback);
  }

  /** Lets time pass. `settle` resolves when everything that a timer has started has ended or waits again. */
  async pass(ms: number, settle: () => Promise<void>, tickMs = TICK_MS): Promise<void> {
    const end = this.#now + ms;
    while (this.#now < end) {
      const running = [...this.#timers].filter(({ owner }) => !owner.isFrozen);
      const next = running.reduce((earliest, { due }) => Math.min(earliest, due), end);
      this.#now = Math.min(end, Math.ceil(Math.max(next, this.#now + 1) / tickMs) * tickMs);
      const due = running.filter((timer) => timer.due <= this.#now).toSorted((a, b) => a.due - b.due);
      for (const timer of due) if (this.#timers.has(timer)) this.#fire(timer);
      if (due.length > 0) await settle();
    }
  }

  /** Replaces the global timers and random numbers for simulated processes; others keep the real ones. */
  install(seed: number): Disposable {
    const real = { setTimeout, setInterval, clearTimeout, clearInterval };
    const [sleep, random, now] = [Bun.sleep, Math.random, performance.now];
    const { timeout } = AbortSignal;
    const numbers = randomOf(seed);
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
    const virtualSleep = (ms: number | Date): Promise<void> => {
      const owner = this.#context.getStore();
      if (owner === undefined) return sleep(ms);
      return new Promise((resolve) => this.#add(owner, resolve, Number(ms), undefined));
    };
    const isVirtual = (): boolean => this.#context.getStore() !== undefined;
    Object.assign(globalThis, { setTimeout: set(false), setInterval: set(true) });
    Object.assign(globalThis, { clearTimeout: clear, clearInterval: clear });
    Object.assign(Bun, { sleep: virtualSleep });
    Object.assign(Math, { random: () => (isVirtual() ? numbers() : random()) });
    Object.assign(performance, {
      now: () => (isVirtual() ? this.#now + this.#spentMs : now.call(performance)),
    });
    Object.assign(AbortSignal, {
      timeout: (ms: number) => this.#timeout(ms) ?? timeout.call(AbortSignal, ms),
    });
    const restore = (): void => {
      Object.assign(globalThis, real);
      Object.assign(AbortSignal, { timeout });
      Object.assign(Bun, { sleep });
      Object.assign(Math, { random });
      Object.assign(performance, { now });
    };
    return { [Symbol.dispose]: restore };
  }

  #timeout(ms: number): AbortSignal | undefined {
    const owner = this.#context.getStore();
    if (owner === undefined) return undefined;
    const aborting = new AbortController();
    this.#add(owner, () => aborting.abort(new DOMException("timed out", "TimeoutError")), ms, undefined);
    return aborting.signal;
  }

  #add(owner: TimerOwner, callback: () => void, ms: number, everyMs: number | undefined): VirtualTimer {
    const timer = { owner, callback, due: this.#now + Math.max(0, ms), everyMs };
    if (owner.isAlive) this.#timers.add(timer);
    return timer;
  }

  #fire(timer: VirtualTimer): void {
    if (timer.everyMs === undefined) this.#timers.delete(timer);
    else timer.due = this.#now + timer.everyMs;
    this.#context.run(timer.owner, timer.callback);
  }
}
