// Answers that are awaited on a connection, with their limits. `Promise.race` with the end of the connection would keep
// something of every statement in memory until that end, and a timer for each statement costs more than most of them.

/** How often limits are looked at, ms. */
const LOOK_MS = 100;

interface Waiting {
  reject: (error: Error) => void;
  until: number;
}

export class Outstanding {
  readonly #waiting = new Set<Waiting>();
  readonly #late: () => void;
  #timer: ReturnType<typeof setInterval> | undefined;

  /** `late` is called when an answer has taken longer than its limit. */
  constructor(late: () => void) {
    this.#late = late;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** The answer, or the error of `fail`, whichever comes first. */
  wait<T>(answer: Promise<T>, limitMs: number): Promise<T> {
    return new Promise((resolve, reject) => {
      const waiting = { reject, until: performance.now() + limitMs };
      this.#waiting.add(waiting);
      this.#timer ??= setInterval(this.#look, LOOK_MS);
      answer.then(
        (value) => {
          this.#waiting.delete(waiting);
          resolve(value);
        },
        (error: unknown) => {
          this.#waiting.delete(waiting);
          reject(error);
        },
      );
    });
  }

  /** Ends all waits. */
  fail(error: Error): void {
    this.#stop();
    for (const { reject } of this.#waiting) reject(error);
    this.#waiting.clear();
  }

  readonly #look = (): void => {
    if (this.#waiting.size === 0) return this.#stop();
    const now = performance.now();
    for (const { until } of this.#waiting) if (until < now) return this.#late();
  };

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
