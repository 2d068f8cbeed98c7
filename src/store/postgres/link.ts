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
  readonly #connection: Connection;
  readonly #outstanding = new Outstanding(() => this.#lose());
  #isLost = false;

  constructor(connection: Connection) {
    this.#connection = connection;
    void connection.ended.then(() => this.#end());
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  /** How many answers are awaited. */
  get waiting(): number {
    return this.#outstanding.size;
  }

  /** Sends a statement at once: several that are sent in one turn travel together. Throws `LostConnection`. */
  async run(text: string, params: readonly SqlValue[], limitMs: number): Promise<Answer> {
    if (this.#isLost) throw new LostConnection(undefined);
    try {
      const answer = this.#connection.sql.unsafe(text, params.map(encodeValue)).execute();
      const rows = await this.#outstanding.wait(answer, limitMs);
      return { rows: rows.map(decodeRow), count: rows.count, command: rows.command };
    } catch (error) {
      if (!isLost(error)) throw error;
      this.#lose();
      throw error instanceof LostConnection ? error : new LostConnection(error);
    }
  }

  async close(): Promise<void> {
    this.#end();
    await this.#connection.close();
  }

  #lose(): void {
    this.#end();
    void this.#connection.close();
  }

  #end(): void {
    this.#isLost = true;
    this.#outstanding.fail(new LostConnection(undefined));
  }
}
