// The connection that writes. One transaction of all servers writes at a time: it holds an advisory lock until it ends, as a
// writer of SQLite holds the lock of the file. So commits have an order, and no reader sees a number before its row.
//
// Each group leaves its number in the row of its writer. If the connection is lost while a commit is under way, the next
// transaction, which can only begin when that one has ended, reads there whether it was stored.
import { unavailable } from "../../errors";
import type { Waiting } from "../sqlite-group";
import { settle } from "../sqlite-group";
import type { SqlValue } from "../port";
import type { Connector } from "./connector";
import { closedError, isConflict, isLost, lost, LostConnection, translateError } from "./failures";
import { type Ran, runGroup } from "./group";
import { type Answer, Link } from "./link";

export interface Pending extends Waiting {
  since: number;
}

export interface WriterOptions {
  connector: Connector;
  /** Text of the port to text of the server. */
  translate(text: string): string;
  schema: string;
  /** Names this writer in the database. */
  instance: string;
  /** The schema version that this program writes. */
  version: number;
  /** `off`: the last commits may be lost when the database's machine loses power. */
  durability: "full" | "normal";
  /** How long a write is tried, ms. */
  limitMs: number;
  /** Called before callers get their answers. */
  committed(group: readonly Pending[], begun: number, touched: ReadonlySet<SqlValue>): void;
  failed(error: unknown): void;
}

/** Server-side limits, ms: of a statement, and of the silence of a client that holds the lock. */
const STATEMENT_MS = 10_000;
const SILENCE_MS = 3000;
/** How much longer than the server's limit an answer may take. */
const NETWORK_MS = 2000;
/** Every process that writes has a row, also each command. Rows are only read within seconds. */
const REMOVE_OLD = "DELETE FROM writers WHERE at < clock_timestamp() - interval '30 days'";
const GATHER_MS = 2;
const PAUSE_MS = 100;

/** The result of a commit that was under way when the connection was lost. */
interface Unknown {
  number: number;
  group: readonly Pending[];
  ran: Ran;
  begun: number;
}

export class Writer {
  readonly #options: WriterOptions;
  #queue: Pending[] = [];
  #running = false;
  #link: Link | undefined;
  #number = 0;
  #hasCommitted = false;
  #unknown: Unknown | undefined;
  #closed = false;

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  /** When the oldest write was ordered that has no answer (`performance.now`). */
  get oldest(): number | undefined {
    return this.#unknown?.group[0]?.since ?? this.#queue[0]?.since;
  }

  push(pending: Pending): void {
    this.#queue.push(pending);
    if (this.#running) return;
    this.#running = true;
    this.#gather(0, performance.now());
  }

  /** Waits for the writes that are queued. */
  async close(): Promise<void> {
    while (this.#running) await Bun.sleep(5);
    this.#closed = true;
    await this.#link?.close();
  }

  // As on SQLite: a commit costs as much for fifty writes as for one.
  #gather(known: number, since: number): void {
    setImmediate(() => {
      const { length } = this.#queue;
      if (length > known && performance.now() - since < GATHER_MS) this.#gather(length, since);
      else void this.#work();
    });
  }

  async #work(): Promise<void> {
    try {
      while (this.#queue.length > 0 || this.#unknown !== undefined) {
        try {
          await this.#flush();
        } catch (error) {
          this.#options.failed(error);
          this.#giveUpOld(error);
          if (!isConflict(error)) await Bun.sleep(PAUSE_MS * (0.5 + Math.random()));
        }
      }
    } finally {
      this.#running = false;
    }
  }

  /** Rejects the writes that were tried for too long. Others are tried again. */
  #giveUpOld(error: unknown): void {
    const until = performance.now() - this.#options.limitMs;
    const reason = isLost(error) ? lost(error) : translateError(error);
    const old = this.#queue.filter(({ since }) => since < until);
    this.#queue = this.#queue.filter(({ since }) => since >= until);
    for (const pending of old) pending.reject(reason);
    const unknown = this.#unknown;
    if (unknown === undefined || (unknown.group[0]?.since ?? 0) >= until) return;
    this.#unknown = undefined;
    const cause = { cause: error, retryAfterMs: 1000 };
    for (const { reject } of unknown.group)
      reject(
        unavailable("The database was lost while this was stored. Whether it is stored is not known.", cause),
      );
  }

  /** Runs what is queued in one transaction. Throws if it could not be run; it is still queued then. */
  async #flush(savepoints = false): Promise<void> {
    const link = await this.#connected();
    const execute = (text: string, params: readonly SqlValue[]): Promise<Answer> =>
      link.run(this.#options.translate(text), params, STATEMENT_MS + NETWORK_MS);
    let group: Pending[] = [];
    let committing = false;
    try {
      await this.#begin(link);
      const begun = performance.now();
      await this.#settleUnknown(execute);
      [group, this.#queue] = [this.#queue, []];
      const ran = await runGroup(execute, group, savepoints);
      if (ran === undefined) {
        await execute("ROLLBACK", []);
        [this.#queue, group] = [[...group, ...this.#queue], []];
        return await this.#flush(true);
      }
      const number = ++this.#number;
      if (ran.wrote || ran.touched.size > 0) {
        this.#unknown = { number, group, ran, begun };
        committing = true;
        await this.#commit(execute, ran.touched, number);
        this.#unknown = undefined;
      } else await execute("COMMIT", []);
      this.#finish(group, ran, begun);
    } catch (error) {
      if (!(committing && isLost(error))) {
        // The transaction has certainly not been committed.
        this.#unknown = committing ? undefined : this.#unknown;
        this.#refuse(error, group);
      }
      if (!isLost(error)) await link.run("ROLLBACK", [], NETWORK_MS).catch(() => link.close());
      throw error;
    }
  }

  /** After a failure of the whole group: it is run again, or refused if that would fail in the same way. */
  #refuse(error: unknown, group: Pending[]): void {
    if (isLost(error) || isConflict(error) || group.length === 0) {
      this.#queue = [...group, ...this.#queue];
      return;
    }
    for (const pending of group) pending.reject(translateError(error));
  }

  async #begin(link: Link): Promise<void> {
    const { schema, durability, version } = this.#options;
    const limits = [
      `SET LOCAL statement_timeout = ${STATEMENT_MS}`,
      `SET LOCAL idle_in_transaction_session_timeout = ${SILENCE_MS}`,
      ...(durability === "normal" ? ["SET LOCAL synchronous_commit = off"] : []),
      `SELECT pg_advisory_xact_lock(hashtextextended('runtime writer of ${schema}', 0))`,
      `SELECT value FROM ${schema}.generations WHERE kind = 'schema'`,
    ];
    const sent = ["BEGIN", ...limits].map((text) => link.run(text, [], STATEMENT_MS + NETWORK_MS));
    const settled = await Promise.allSettled(sent);
    const failure = settled.find((one) => one.status === "rejected");
    if (failure !== undefined) throw failure.reason;
    const found = settled.at(-1);
    if (found?.status !== "fulfilled" || found.value.rows[0]?.["value"] === version) return;
    throw otherVersion(Number(found.value.rows[0]?.["value"]), version);
  }

  /** Asked while the lock is held, so the transaction in question has ended. */
  async #settleUnknown(
    execute: (text: string, params: readonly SqlValue[]) => Promise<Answer>,
  ): Promise<void> {
    const unknown = this.#unknown;
    if (unknown === undefined) return;
    const { rows } = await execute("SELECT number FROM writers WHERE instance = ?", [this.#options.instance]);
    this.#unknown = undefined;
    if (rows[0]?.["number"] === unknown.number) this.#finish(unknown.group, unknown.ran, unknown.begun);
    else this.#queue = [...unknown.group, ...this.#queue];
  }

  async #commit(
    execute: (text: string, params: readonly SqlValue[]) => Promise<Answer>,
    touched: ReadonlySet<SqlValue>,
    number: number,
  ): Promise<void> {
    const { instance, schema } = this.#options;
    const kinds = [...touched].sort();
    const sent = [
      ...(this.#hasCommitted ? [] : [execute(REMOVE_OLD, [])]),
      ...kinds.map((kind) => execute("UPDATE generations SET value = value + 1 WHERE kind = ?", [kind])),
      execute(
        "INSERT INTO writers (instance, number, at) VALUES (?, ?, clock_timestamp()) " +
          "ON CONFLICT (instance) DO UPDATE SET number = excluded.number, at = excluded.at",
        [instance, number],
      ),
      ...(kinds.length === 0 ? [] : [execute("SELECT pg_notify(?, ?)", [schema, kinds.join(" ")])]),
      execute("COMMIT", []),
    ];
    const settled = await Promise.allSettled(sent);
    const failure = settled.find((one) => one.status === "rejected");
    if (failure !== undefined) throw failure.reason;
    const last = settled.at(-1);
    // The commit of a failed transaction is answered by ROLLBACK, without an error.
    if (last?.status !== "fulfilled" || last.value.command !== "COMMIT")
      throw new Error("the database has rolled a transaction back");
    this.#hasCommitted = true;
  }

  #finish(group: readonly Pending[], ran: Ran, begun: number): void {
    this.#options.committed(group, begun, ran.touched);
    ran.outcomes.forEach(settle);
  }

  async #connected(): Promise<Link> {
    if (this.#link !== undefined && !this.#link.isLost) return this.#link;
    if (this.#closed) throw closedError();
    try {
      return (this.#link = new Link(await this.#options.connector.connect()));
    } catch (error) {
      throw new LostConnection(error);
    }
  }
}

export function otherVersion(found: number, known: number): Error {
  return unavailable(
    `The database has schema ${found}; this server supports schema ${known}. Start a server of the other version, and stop this one.`,
  );
}
