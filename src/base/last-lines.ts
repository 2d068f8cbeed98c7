// The last lines of a log, in bounded memory.

/** A longer line is left out: half of it is not JSON. */
const MOST_CHARACTERS = 4096;

export class LastLines {
  readonly #most: number;
  readonly #lines: string[] = [];
  /** Where the next line goes, once there are as many as are kept. */
  #next = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add(line: string): void {
    if (this.#most === 0 || line.length > MOST_CHARACTERS) return;
    if (this.#lines.length < this.#most) this.#lines.push(line);
    else this.#lines[this.#next] = line;
    this.#next = (this.#next + 1) % this.#most;
  }

  /** The oldest first. */
  get lines(): string[] {
    if (this.#lines.length < this.#most) return [...this.#lines];
    return [...this.#lines.slice(this.#next), ...this.#lines.slice(0, this.#next)];
  }
}
