// Timeouts that are nearly always cancelled, such as the time limit of a run. All alarms with the same duration share one
// timer, so setting and cancelling an alarm costs a twentieth of `setTimeout`. Alarms do not keep the process alive.

export interface Alarm {
  cancel(): void;
}

class Entry implements Alarm {
  before: Entry | undefined;
  after: Entry | undefined;
  list: List | undefined;
  readonly due: number;
  readonly ring: () => void;

  constructor(due: number, ring: () => void) {
    this.due = due;
    this.ring = ring;
  }

  cancel(): void {
    this.list?.remove(this);
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
    const entry = new Entry(performance.now() + this.#ms, ring);
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
    for (const { ring } of due) {
      try {
        ring();
      } catch (error) {
        // Reported like an error in a separate timer, so that the other alarms still ring.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  };
}

const lists = new Map<number, List>();

/** Calls `ring` once after `ms`, unless it is cancelled. Efficient for few different durations. */
export function setAlarm(ms: number, ring: () => void): Alarm {
  let list = lists.get(ms);
  if (list === undefined) lists.set(ms, (list = new List(ms)));
  return list.add(ring);
}
