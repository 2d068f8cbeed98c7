// A check that may never end, for example of a database behind a network that was cut. Its callers always get an answer.

/** A check that has not ended by then counts as failed. */
const LONGEST_MS = 1500;
/** After this time another check may begin: an answer that was lost must not hide that the database works again. */
const GIVE_UP_MS = 3000;

interface Running<Found> {
  found: Promise<Found>;
  /** `performance.now`. */
  since: number;
}

export class BoundedCheck<Found> {
  readonly #check: () => Promise<Found>;
  readonly #late: (silentMs: number) => Found;
  #running: Running<Found> | undefined;
  /** When the first of the checks began that have not ended. */
  #silentSince: number | undefined;

  /** `check` must not reject. `late`: the result while it does not end, with the time since it was begun first. */
  constructor(check: () => Promise<Found>, late: (silentMs: number) => Found) {
    this.#check = check;
    this.#late = late;
  }

  /** One check at a time: a caller joins the one that runs. */
  async run(): Promise<Found> {
    const { found, since } = this.#current();
    const late = Promise.withResolvers<Found>();
    const timer = setTimeout(
      // The check may have ended while something else blocked the event loop; then its result is taken.
      () => setImmediate(() => late.resolve(this.#late(performance.now() - (this.#silentSince ?? since)))),
      Math.max(0, since + LONGEST_MS - performance.now()),
    );
    try {
      return await Promise.race([found, late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  #current(): Running<Found> {
    const now = performance.now();
    if (this.#running !== undefined && now - this.#running.since < GIVE_UP_MS) return this.#running;
    this.#silentSince ??= now;
    const running: Running<Found> = { found: this.#check(), since: now };
    this.#running = running;
    void running.found.finally(() => {
      this.#silentSince = undefined;
      if (this.#running === running) this.#running = undefined;
    });
    return running;
  }
}
