// Standard error of a program: the last lines, without secrets. It is read at a limited rate, so that a program that writes
// without end waits for us instead of using our processor.
import { closeSync } from "node:fs";

const MAX_LINES = 20;
const MAX_LINE = 1_000;
const BYTES_PER_TURN = 262_144;
const TURN_MS = 100;
/** Shorter values would hide parts of ordinary words. */
const MIN_SECRET = 6;

export class ErrorLines {
  readonly #secrets: readonly string[];
  readonly #lines: string[] = [];
  #rest = "";

  constructor(secrets: readonly string[]) {
    // Longer ones first: one may contain another.
    this.#secrets = secrets
      .filter(({ length }) => length >= MIN_SECRET)
      .toSorted((one, other) => other.length - one.length);
  }

  lines(): string[] {
    return [...this.#lines, ...(this.#rest === "" ? [] : [this.#shown(this.#rest)])].slice(-MAX_LINES);
  }

  /** Reads to the end and closes the descriptor. */
  readFrom(descriptor: number): void {
    void this.#read(descriptor);
  }

  async #read(descriptor: number): Promise<void> {
    const decoder = new TextDecoder();
    let inTurn = 0;
    try {
      for await (const chunk of Bun.file(descriptor).stream()) {
        this.#take(decoder.decode(chunk, { stream: true }));
        inTurn += chunk.length;
        if (inTurn < BYTES_PER_TURN) continue;
        await Bun.sleep(TURN_MS);
        inTurn = 0;
      }
    } finally {
      closeSync(descriptor);
    }
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    // Enough to recognize a secret that continues after the cut.
    if (this.#rest.length > 16 * MAX_LINE) this.#rest = this.#rest.slice(0, 8 * MAX_LINE);
    this.#lines.push(...lines.slice(-MAX_LINES).map((line) => this.#shown(line)));
    this.#lines.splice(0, this.#lines.length - MAX_LINES);
  }

  #shown(line: string): string {
    const safe = this.#secrets.reduce((left, secret) => left.replaceAll(secret, "[redacted]"), line);
    return safe.slice(0, MAX_LINE);
  }
}
