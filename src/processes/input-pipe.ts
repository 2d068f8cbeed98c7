// Standard input of a program: lines in order, bounded while the program does not read.
import { closeSync } from "node:fs";

const MAX_WAITING_BYTES = 16_777_216;

export class InputPipe {
  readonly #sink: Bun.FileSink;
  #waiting = 0;
  #closed = false;
  /** Those who wait for their lines. Not one promise for all of them: it would keep something of each line. */
  readonly #waiters = new Set<(reason: Error) => void>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(descriptor: number) {
    // The writer works with a duplicate.
    this.#sink = Bun.file(descriptor).writer();
    closeSync(descriptor);
  }

  async write(line: string): Promise<void> {
    const bytes = Buffer.from(`${line}\n`);
    if (this.#closed) throw new Error("the program has ended");
    if (this.#waiting + bytes.length > MAX_WAITING_BYTES)
      throw new Error("the program does not read its standard input");
    this.#waiting += bytes.length;
    const written = this.#last.then(() => this.#put(bytes));
    this.#last = written.catch(() => undefined);
    const closed = Promise.withResolvers<never>();
    this.#waiters.add(closed.reject);
    try {
      await Promise.race([written, closed.promise]);
    } finally {
      this.#waiters.delete(closed.reject);
      this.#waiting -= bytes.length;
    }
  }

  async #put(bytes: Uint8Array): Promise<void> {
    if (this.#closed) throw new Error("the program has ended");
    await this.#sink.write(bytes);
    await this.#sink.flush();
  }

  /** The program sees the end of its input. Lines that still wait are rejected. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const reject of this.#waiters) reject(new Error("the program has ended"));
    // What the pipe has not taken yet goes when the program reads or ends.
    const end = async (): Promise<void> => {
      await this.#sink.end();
    };
    void end().catch(() => undefined);
  }
}
