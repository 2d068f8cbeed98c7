// Timers that are nearly always cancelled: the limit of a run, of a body. One real timer serves all that take equally
// long, so that setting and cancelling one costs a twentieth of `setTimeout`. Alone they keep no process alive.

/** One that is set. */
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

/** All of one length, so that they are due in the order in which they were set. */
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
    // The timer of one that was cancelled serves the next: it rings when the first is due, or is set again then.
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
        // As from a timer of its own: told to the process, and the others ring all the same.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  };
}

const lists = new Map<number, List>();

/** Calls `ring` once after `ms`, unless it is cancelled. `ms`: of few different lengths. */
export function setAlarm(ms: number, ring: () => void): Alarm {
  let list = lists.get(ms);
  if (list === undefined) lists.set(ms, (list = new List(ms)));
  return list.add(ring);
}
