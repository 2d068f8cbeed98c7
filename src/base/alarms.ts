// Timeouts that are nearly always cancelled, such as the time limit of a run. All alarms with the same duration share one
// timer, so setting and cancelling an alarm costs a twentieth of `setTimeout`. Alarms do not keep the process alive.
//
// Time in which the process did not run (it was stopped, or its event loop was blocked) does not count: nothing could arrive
// in it, and what has arrived meanwhile must be read first. It may be a response that exists nowhere else.

/** An alarm that rings later than this is put off by as much. */
const LATE_MS = 100;

export interface Alarm {
  cancel(): void;
  /** Time until it rings, ms. */
  left(): number;
}

class Entry implements Alarm {
  before: Entry | undefined;
  after: Entry | undefined;
  list: List | undefined;
  due: number;
  readonly #ms: number;
  readonly #ring: () => void;
  #isCancelled = false;
  /** Of an alarm that was put off. */
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ms: number, ring: () => void) {
    this.due = performance.now() + ms;
    this.#ms = ms;
    this.#ring = ring;
  }

  cancel(): void {
    this.#isCancelled = true;
    this.list?.remove(this);
    clearTimeout(this.#timer);
  }

  left(): number {
    const left = this.due - performance.now();
    return left < -LATE_MS ? Math.min(-left, this.#ms) : left;
  }

  /** Rings, or puts the alarm off. */
  end(): void {
    const left = this.left();
    if (left > 0) {
      this.due = performance.now() + left;
      this.#timer = setTimeout(() => this.end(), left);
      this.#timer.unref();
      return;
    }
    // In the next turn of the event loop, after what has just arrived.
    setImmediate(() => {
      if (!this.#isCancelled) this.#ring();
    });
  }
}

/** The alarms with one duration, which are due in the order in which they were set. */
class List {
  readonly #ms: number;
  #first: Entry | undefined;
  #last: Entry | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ms: number) {
    this.#ms = ms;
  }

  add(ring: () => void): Alarm {
    const entry = new Entry(this.#ms, ring);
    entry.list = this;
    entry.before = this.#last;
    if (this.#last === undefined) this.#first = entry;
    else this.#last.after = entry;
    this.#last = entry;
    // A timer may already be running for a cancelled alarm; it is then set again for the first alarm that is due.
    if (this.#timer === undefined) this.#wait(this.#ms);
    return entry;
  }

  remove(entry: Entry): void {
    const { before, after } = entry;
    if (before === undefined) this.#first = after;
    else before.after = after;
    if (after === undefined) this.#last = before;
    else after.before = before;
    entry.list = undefined;
    entry.before = undefined;
    entry.after = undefined;
  }

  #wait(ms: number): void {
    this.#timer = setTimeout(this.#ring, ms);
    this.#timer.unref();
  }

  readonly #ring = (): void => {
    this.#timer = undefined;
    const now = performance.now();
    const due: Entry[] = [];
    for (let entry = this.#first; entry !== undefined && entry.due <= now; entry = this.#first) {
      this.remove(entry);
      due.push(entry);
    }
    if (this.#first !== undefined) this.#wait(Math.max(1, Math.ceil(this.#first.due - now)));
    for (const entry of due) entry.end();
  };
}

const lists = new Map<number, List>();

/** Calls `ring` once after `ms`, unless it is cancelled. Efficient for few different durations. */
export function setAlarm(ms: number, ring: () => void): Alarm {
  let list = lists.get(ms);
  if (list === undefined) lists.set(ms, (list = new List(ms)));
  return list.add(ring);
}
