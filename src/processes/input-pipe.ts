// Standard input of a program: lines in order, bounded while the program does not read.
import { closeSync } from "node:fs";

const MAX_WAITING_BYTES = 16_777_216;

export class InputPipe {
  readonly #descriptor: number;
  readonly #sink: Bun.FileSink;
  #waiting = 0;
  #closed = false;
  #last: Promise<unknown> = Promise.resolve();

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
    this.#sink = Bun.file(descriptor).writer();
  }

  async write(line: string): Promise<void> {
    const bytes = Buffer.from(`${line}\n`);
    if (this.#closed) throw new Error("the program has ended");
    if (this.#waiting + bytes.length > MAX_WAITING_BYTES)
      throw new Error("the program does not read its standard input");
    this.#waiting += bytes.length;
    const written = this.#last.then(() => this.#put(bytes));
    this.#last = written.catch(() => undefined);
    try {
      await Promise.race([written, this.#whenClosed.promise]);
    } finally {
      this.#waiting -= bytes.length;
    }
  }

  readonly #whenClosed = Promise.withResolvers<never>();

  async #put(bytes: Uint8Array): Promise<void> {
    if (this.#closed) throw new Error("the program has ended");
    await this.#sink.write(bytes);
    await this.#sink.flush();
  }

  /** The program sees the end of its input. Lines that still wait are rejected. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#whenClosed.promise.catch(() => undefined);
    this.#whenClosed.reject(new Error("the program has ended"));
    closeSync(this.#descriptor);
  }
}
