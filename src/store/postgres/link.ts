// One connection, with a limit for every answer. A network that drops packets closes nothing, so silence counts as an end.
import type { SqlValue } from "../port";
import type { Connection } from "./connector";
import { isLost, LostConnection } from "./failures";
import { Outstanding } from "./outstanding";
import { decodeRow, encodeValue } from "./text";

export interface Answer {
  rows: Record<string, unknown>[];
  /** Number of changed rows. */
  count: number;
  /** The command that the server names: `COMMIT`, or `ROLLBACK` for the commit of a failed transaction. */
  command: string;
}

export class Link {
  /** The numbers of statements whose answers are awaited, which come in this order. */
  readonly #asked = new Set<number>();
  #number = 0;
  readonly #connection: Connection;
  readonly #outstanding = new Outstanding(() => this.lose());
  #isLost = false;
  /** When the last answer came, or the first statement after a pause was sent. */
  #heard = performance.now();
  /** When the last answer came; at first, that to the connection itself. */
  #answered = performance.now();

  constructor(connection: Connection) {
    this.#connection = connection;
    void connection.ended.then(() => this.lose());
  }

  /** How many answers are awaited. */
  get waiting(): number {
    return this.#asked.size;
  }

  /** The number of the statement that was sent last. */
  get newest(): number {
    return this.#number;
  }

  /** The number of the statement whose answer comes next. */
  get next(): number | undefined {
    return this.#asked.values().next().value;
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  get host(): string {
    return this.#connection.host;
  }

  /** For how long answers are awaited and none has come, ms. */
  get silentMs(): number {
    return this.waiting === 0 ? 0 : performance.now() - this.#heard;
  }

  /** When the last answer came (`performance.now`). */
  get answeredAt(): number {
    return this.#answered;
  }

  /** For how long nothing was asked, ms. */
  get idleMs(): number {
    return this.waiting === 0 ? performance.now() - this.#heard : 0;
  }

  /** Sends a statement at once: several that are sent in one turn travel together. Throws `LostConnection`. */
  async run(text: string, params: readonly SqlValue[], limitMs: number): Promise<Answer> {
    if (this.#isLost) throw new LostConnection(undefined);
    if (this.waiting === 0) this.#heard = performance.now();
    const number = ++this.#number;
    this.#asked.add(number);
    try {
      const answer = this.#connection.sql.unsafe(text, params.map(encodeValue)).execute();
      const rows = await this.#outstanding.wait(answer, limitMs);
      this.#answered = performance.now();
      return { rows: rows.map(decodeRow), count: rows.count, command: rows.command };
    } catch (error) {
      if (!isLost(error)) throw error;
      this.lose();
      throw error instanceof LostConnection ? error : new LostConnection(error);
    } finally {
      this.#asked.delete(number);
      this.#heard = performance.now();
    }
  }

  /** What is awaited rejects at once, even if the network delivers nothing. */
  lose(): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#outstanding.fail(new LostConnection(undefined));
    this.#connection.close().catch(() => undefined);
  }

  async close(): Promise<void> {
    this.lose();
    await this.#connection.close();
  }
}

/** The answers to statements that travel together. Waits for all; throws the first error. */
export async function allOf(
  sent: readonly Promise<Answer>[],
  answered: (rows: Answer["rows"]) => void = () => undefined,
): Promise<Answer[]> {
  for (const one of sent)
    one.then(
      ({ rows }) => answered(rows),
      () => undefined,
    );
  await Promise.allSettled(sent);
  return Promise.all(sent);
}
