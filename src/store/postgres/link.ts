// One connection, with a limit for every answer. A network that drops packets closes nothing, so silence counts as an end.
import type { SqlValue } from "../port";
import type { Connection } from "./connector";
import { isLost, LostConnection } from "./failures";
import { decodeRow, encodeValue } from "./text";

export interface Answer {
  rows: Record<string, unknown>[];
  /** Number of changed rows. */
  count: number;
  /** The command that the server names: `COMMIT`, or `ROLLBACK` for the commit of a failed transaction. */
  command: string;
}

export class Link {
  /** Answers that are awaited. */
  waiting = 0;
  readonly #connection: Connection;
  #isLost = false;
  readonly #ended: Promise<never>;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#ended = connection.ended.then(() => {
      this.#isLost = true;
      throw new LostConnection(undefined);
    });
    this.#ended.catch(() => undefined);
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  /** Sends a statement at once: several that are sent in one turn travel together. Throws `LostConnection`. */
  async run(text: string, params: readonly SqlValue[], limitMs: number): Promise<Answer> {
    if (this.#isLost) throw new LostConnection(undefined);
    this.waiting++;
    const timer = setTimeout(() => this.#lose(), limitMs);
    try {
      const answer = this.#connection.sql.unsafe(text, params.map(encodeValue)).execute();
      const rows = await Promise.race([answer, this.#ended]);
      return { rows: rows.map(decodeRow), count: rows.count, command: rows.command };
    } catch (error) {
      if (!isLost(error)) throw error;
      this.#lose();
      throw new LostConnection(error);
    } finally {
      clearTimeout(timer);
      this.waiting--;
    }
  }

  async close(): Promise<void> {
    this.#isLost = true;
    await this.#connection.close();
  }

  #lose(): void {
    this.#isLost = true;
    void this.#connection.close();
  }
}
