// The connection that writes. One transaction of all servers writes at a time: it holds an advisory lock until it ends, as a
// writer of SQLite holds the lock of the file. So commits have an order, and no reader sees a number before its row.
//
// Each group leaves its number in the row of its writer. If the connection is lost while a commit is under way, the next
// transaction, which can only begin when that one has ended, reads there whether it was stored.
import type { Waiting } from "../sqlite-group";
import { settle } from "../sqlite-group";
import type { SqlValue } from "../port";
import type { Connector } from "./connector";
import { connectSoon } from "./connect";
import {
  isConflict,
  isLocked,
  isLost,
  isOfDisk,
  isRolledBack,
  late,
  LostConnection,
  OtherVersion,
  RolledBack,
  translateError,
  unknownResult,
} from "./failures";
import { endIfGone } from "./gone";
import { beginning, STATEMENT_MS } from "./beginning";
import { type Ran, runGroup } from "./group";
import { allOf, type Answer, Link } from "./link";

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
  /** Called while no answer comes: the network may have lost more connections than this one. */
  silent(): void;
}

/** How much longer than the server's limit an answer may take. */
const NETWORK_MS = 2000;
/** Every process that writes has a row, also each command. Rows are only read within seconds. */
const REMOVE_OLD = "DELETE FROM writers WHERE at < clock_timestamp() - interval '30 days'";
const GATHER_MS = 2;
const PAUSE_MS = 100;
const LOOK_MS = 250;
/** A write often waits for the lock for a moment. */
const SILENT_MS = 250;

/** A commit that was sent and whose result is not confirmed. */
interface Unknown {
  number: number;
  group: readonly Pending[];
  ran: Ran;
  begun: number;
}

export class Writer {
  readonly #options: WriterOptions;
  readonly #closing = new AbortController();
  #queue: Pending[] = [];
  #running = false;
  #link: Link | undefined;
  /** The process of the server that works for the link. */
  #session: number | undefined;
  #number = 0;
  /** Ordered by their numbers. */
  #unknown: Unknown[] = [];
  #error: unknown;
  #hasCommitted = false;

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  /** When the oldest write was ordered that has no answer (`performance.now`). */
  get oldest(): number | undefined {
    return this.#unknown[0]?.group[0]?.since ?? this.#queue[0]?.since;
  }

  push(pending: Pending): void {
    this.#queue.push(pending);
    if (this.#running) return;
    this.#running = true;
    this.#gather(0, performance.now());
  }

  /** Waits for the writes that are queued. */
  async close(): Promise<void> {
    while (this.#running) {
      const isConnecting = this.#link === undefined;
      if (isConnecting && this.#queue.length === 0 && this.#unknown.length === 0) this.#closing.abort();
      await Bun.sleep(5);
    }
    this.#closing.abort();
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
    const look = setInterval(() => this.#look(), LOOK_MS);
    try {
      while (this.#queue.length > 0 || this.#unknown.length > 0) {
        try {
          await this.#flush();
          this.#error = undefined;
        } catch (error) {
          this.#error = error;
          this.#options.failed(error);
          if (error instanceof OtherVersion) this.#giveUp(error.reason, Infinity);
          if (!isConflict(error) && !isLocked(error)) await Bun.sleep(PAUSE_MS * (0.5 + Math.random()));
        }
      }
    } finally {
      clearInterval(look);
      this.#running = false;
    }
  }

  /** A statement or a connection may wait for long; the writes behind it must not. */
  #look(): void {
    this.#giveUp(
      this.#error === undefined ? late() : translateError(this.#error),
      performance.now() - this.#options.limitMs,
    );
    if (this.#link === undefined || this.#link.isLost) return;
    if (this.#link.silentMs >= SILENT_MS) this.#options.silent();
    endIfGone(this.#link, this.#session, this.#options.connector, this.#closing.signal);
  }

  /** Rejects the writes that were ordered before. Others are tried again. */
  #giveUp(reason: unknown, before: number): void {
    const isOld = ({ since }: Pending): boolean => since < before;
    const old = this.#queue.filter(isOld);
    if (old.length > 0) this.#queue = this.#queue.filter((pending) => !isOld(pending));
    for (const pending of old) pending.reject(reason);
    this.#giveUpUnknown(reason, ({ group }) => group.some(isOld));
  }

  #giveUpUnknown(reason: unknown, isGiven: (unknown: Unknown) => boolean): void {
    const given = this.#unknown.filter(isGiven);
    if (given.length > 0) this.#unknown = this.#unknown.filter((unknown) => !given.includes(unknown));
    for (const { reject } of given.flatMap(({ group }) => group)) reject(unknownResult(reason));
  }

  /** Runs what is queued in one transaction. Throws if it could not be run; it is still queued then. */
  async #flush(savepoints = false): Promise<void> {
    const link = await this.#connected();
    const execute = (text: string, params: readonly SqlValue[]): Promise<Answer> =>
      link.run(this.#options.translate(text), params, STATEMENT_MS + NETWORK_MS);
    let group: Pending[] = [];
    let sent: Unknown | undefined;
    try {
      await this.#begin(link);
      const begun = performance.now();
      await this.#askForUnknown(execute);
      [group, this.#queue] = [this.#queue, []];
      const ran = await runGroup(execute, group, savepoints);
      if (ran === undefined) {
        await execute("ROLLBACK", []);
        [this.#queue, group] = [[...group, ...this.#queue], []];
        return await this.#flush(true);
      }
      if (ran.wrote || ran.touched.size > 0 || this.#unknown.length > 0) {
        sent = { number: ++this.#number, group, ran, begun };
        this.#unknown.push(sent);
        await this.#commit(execute, ran.touched, sent.number);
        // Earlier ones are in front of this one, so they are as durable as it is.
        for (const one of new Set([...this.#unknown, sent])) this.#finish(one);
        this.#unknown = [];
      } else {
        await execute("COMMIT", []);
        this.#finish({ group, ran, begun });
      }
    } catch (error) {
      if (sent === undefined || isRolledBack(error)) {
        this.#unknown = this.#unknown.filter((unknown) => unknown !== sent);
        this.#refuse(error, group);
      } else link.lose();
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
    this.#session = undefined;
    const answers = await allOf(
      beginning(schema, durability).map((text) => link.run(text, [], STATEMENT_MS + NETWORK_MS)),
      (rows) => {
        const session = rows[0]?.["session"];
        if (typeof session === "number") this.#session = session;
      },
    );
    const found = answers.at(-1)?.rows[0]?.["value"];
    if (found !== version) throw new OtherVersion(Number(found), version);
  }

  /**
   * Finds out which unknown commits were stored. The lock is held, so their transactions have ended. What was stored is only
   * acknowledged with this transaction: the commit may not have reached the standby.
   */
  async #askForUnknown(
    execute: (text: string, params: readonly SqlValue[]) => Promise<Answer>,
  ): Promise<void> {
    if (this.#unknown.length === 0) return;
    const { rows } = await execute("SELECT number FROM writers WHERE instance = ?", [this.#options.instance]);
    // The row was there and is gone, so nothing says whether they were stored.
    if (rows.length === 0 && this.#hasCommitted)
      return this.#giveUpUnknown(new Error("the row of the writer was deleted"), () => true);
    const stored = Number(rows[0]?.["number"] ?? 0);
    const absent = this.#unknown.filter(({ number }) => number > stored);
    this.#unknown = this.#unknown.filter(({ number }) => number <= stored);
    this.#queue = [...absent.flatMap(({ group }) => group), ...this.#queue];
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
    const last = (await allOf(sent)).at(-1);
    // The commit of a failed transaction is answered by ROLLBACK, without an error.
    if (last?.command === "ROLLBACK") throw new RolledBack();
    if (last?.command !== "COMMIT")
      throw new LostConnection(new Error(`a commit was answered by ${last?.command}`));
    this.#hasCommitted = true;
  }

  #finish({ group, ran, begun }: Omit<Unknown, "number">): void {
    this.#options.committed(group, begun, ran.touched);
    // The commit has stored the others of the group, or nothing.
    const refused = ran.outcomes.find((outcome) => "error" in outcome && isOfDisk(outcome.error));
    if (refused !== undefined && "error" in refused) this.#options.failed(refused.error);
    ran.outcomes.forEach(settle);
  }

  async #connected(): Promise<Link> {
    if (this.#link !== undefined && !this.#link.isLost) return this.#link;
    this.#link = undefined;
    const { connector } = this.#options;
    return (this.#link = new Link(await connectSoon(connector, this.#closing.signal)));
  }
}
