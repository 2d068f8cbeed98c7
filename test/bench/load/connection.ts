// One keep-alive connection that always has exactly one pending request. Uses a bare socket, because `fetch` would cost
// more than the measured servers.
import { type AnswerHead, endsWithLastChunk, readHead } from "./answer";
import type { Job } from "./job";

export interface Exchanges {
  job: Job;
  /** The next request to send; undefined to stop. */
  next(): Buffer | undefined;
  /** Called for a complete, correct answer, `ms` after its request. */
  answered(ms: number): void;
}

/** Sends requests until there are no more. Rejects at the first answer that does not match the job. */
export async function exchange(exchanges: Exchanges): Promise<void> {
  const done = Promise.withResolvers<void>();
  const socket = await Bun.connect<Connection>({
    hostname: "127.0.0.1",
    port: exchanges.job.port,
    socket: {
      data: (_socket, chunk) => connection.receive(chunk),
      close: () => done.reject(new Error("the server closed a connection")),
      error: (_socket, error) => done.reject(error),
    },
  });
  const connection = new Connection(exchanges, (bytes) => socket.write(bytes), done);
  connection.send();
  try {
    await done.promise;
  } finally {
    socket.terminate();
  }
}

class Connection {
  readonly #exchanges: Exchanges;
  readonly #write: (bytes: Buffer) => number;
  readonly #done: PromiseWithResolvers<void>;
  readonly #contains: Buffer | undefined;
  readonly #until: Buffer | undefined;
  #sentAt = 0;
  /** The time of the text that ends a latency; NaN before. */
  #seenAt = NaN;
  /** The received part of an incomplete answer. */
  #partial: Buffer[] = [];
  #received = 0;
  #head: AnswerHead | undefined;

  constructor(exchanges: Exchanges, write: (bytes: Buffer) => number, done: PromiseWithResolvers<void>) {
    this.#exchanges = exchanges;
    this.#write = write;
    this.#done = done;
    const { contains, until } = exchanges.job;
    this.#contains = contains === undefined ? undefined : Buffer.from(contains);
    this.#until = until === undefined ? undefined : Buffer.from(until);
  }

  send(): void {
    const request = this.#exchanges.next();
    if (request === undefined) return this.#done.resolve();
    this.#seenAt = NaN;
    this.#sentAt = performance.now();
    // Requests are small and the socket's buffer is empty, because the last one has been answered.
    if (this.#write(request) !== request.length) this.#done.reject(new Error("a request was not sent whole"));
  }

  receive(chunk: Buffer): void {
    try {
      if (this.#until !== undefined && Number.isNaN(this.#seenAt) && chunk.includes(this.#until)) {
        this.#seenAt = performance.now();
      }
      const whole = this.#collect(chunk);
      if (whole === undefined) return;
      const end = this.#until === undefined ? performance.now() : this.#seenAt;
      this.#exchanges.answered(end - this.#sentAt);
      this.#check(whole);
      this.send();
    } catch (error) {
      this.#done.reject(error);
    }
  }

  /** The whole answer after its last byte. */
  #collect(chunk: Buffer): Buffer | undefined {
    this.#received += chunk.length;
    this.#head ??= readHead(this.#partial.length === 0 ? chunk : Buffer.concat([...this.#partial, chunk]));
    const whole = this.#head === undefined ? undefined : this.#wholeOf(this.#head, chunk);
    if (whole === undefined) {
      // The next chunk reuses the buffer.
      this.#partial.push(Buffer.from(chunk));
      return undefined;
    }
    this.#partial = [];
    this.#received = 0;
    return whole;
  }

  #wholeOf({ size }: AnswerHead, chunk: Buffer): Buffer | undefined {
    if (size !== undefined && this.#received < size) return undefined;
    if (size !== undefined && this.#received > size) throw new Error("the server sent more than one answer");
    const whole = this.#partial.length === 0 ? chunk : Buffer.concat([...this.#partial, chunk]);
    return size !== undefined || endsWithLastChunk(whole) ? whole : undefined;
  }

  #check(whole: Buffer): void {
    const status = this.#head?.status;
    this.#head = undefined;
    const wrong =
      status !== this.#exchanges.job.status ||
      (this.#contains !== undefined && !whole.includes(this.#contains));
    if (wrong) throw new Error(`an answer was not as expected: ${whole.toString("utf8").slice(0, 600)}`);
  }
}
