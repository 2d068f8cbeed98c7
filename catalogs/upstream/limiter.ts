// Limits how much work runs at the same time. The rest waits and starts in order.
export class Limiter {
  readonly #width: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(width: number) {
    this.#width = width;
  }

  get isIdle(): boolean {
    return this.#running === 0;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#width) this.#running++;
    // Finished work passes its place to the next waiting work, so that new work cannot overtake it.
    else await new Promise<void>((start) => this.#waiting.push(start));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }
}
