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
  isRolledBack,
  late,
  OtherVersion,
  PartlySent,
  translateError,
  unknownResult,
} from "./failures";
import { ROLLBACK_MS, type TransactionOptions, WriteTransaction } from "./transaction";
import { endIfGone } from "./gone";
import { type Ran, runGroup } from "./group";
import { Link } from "./link";

export interface Pending extends Waiting {
  since: number;
}

export interface WriterOptions extends TransactionOptions {
  connector: Connector;
  /** How long a write is tried, ms. */
  limitMs: number;
  /** Called before callers get their answers. */
  committed(group: readonly Pending[], begun: number, touched: ReadonlySet<SqlValue>): void;
  failed(error: unknown): void;
  /** Called while no answer comes: the network may have lost more connections than this one. */
  silent(): void;
}

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
  /** Those of the current transaction. */
  #group: Pending[] = [];
  #transaction: WriteTransaction | undefined;
  /** A write of the current transaction was refused before the transaction had begun. */
  #isGivenUp = false;
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
    return (this.#unknown[0]?.group[0] ?? this.#group[0] ?? this.#queue[0])?.since;
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
    // One that waits with the beginning of a transaction must not be committed with it.
    const waiting = this.#hasBegun() ? [] : this.#group.filter(isOld);
    if (waiting.length > 0) this.#group = this.#group.filter((pending) => !isOld(pending));
    this.#isGivenUp ||= waiting.length > 0;
    for (const pending of [...old, ...waiting]) pending.reject(reason);
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
    this.#session = undefined;
    const transaction = new WriteTransaction(link, this.#options, (session) => (this.#session = session));
    this.#transaction = transaction;
    this.#isGivenUp = false;
    this.#group = [];
    try {
      if (this.#unknown.length > 0) await this.#askForUnknown(transaction);
      const ran = await runGroup(transaction.execute, this.#taken(transaction), savepoints);
      const begun = await transaction.begin;
      if (ran === undefined || this.#isGivenUp) await transaction.execute("ROLLBACK", []);
      if (this.#isGivenUp) return this.#putBack();
      if (ran === undefined || !(await this.#commit(transaction, ran, begun))) await this.#again();
    } catch (error) {
      this.#refuse(error, transaction.hasBegun);
      if (!isLost(error)) await link.run("ROLLBACK", [], ROLLBACK_MS).catch(() => link.close());
      throw error;
    } finally {
      this.#group = [];
    }
  }

  /**
   * The first write is sent with the beginning of the transaction. What is ordered until the transaction has the lock belongs to
   * the group, too.
   */
  async *#taken({ begin }: WriteTransaction): AsyncGenerator<Pending> {
    const first = this.#queue.shift();
    if (first !== undefined) {
      this.#group.push(first);
      yield first;
    }
    await begin;
    const others = this.#queue;
    this.#queue = [];
    this.#group.push(...others);
    yield* others;
  }

  /** Returns false if a statement has failed: nothing is stored, and the group can run again with savepoints. */
  async #commit(transaction: WriteTransaction, ran: Ran, begun: number): Promise<boolean> {
    const group = this.#group;
    if (!ran.wrote && ran.touched.size === 0 && this.#unknown.length === 0) {
      await transaction.execute("COMMIT", []);
      this.#finish({ group, ran, begun });
      return true;
    }
    const sent = { number: ++this.#number, group, ran, begun };
    this.#unknown.push(sent);
    try {
      const isStored = await transaction.commit(ran, { number: sent.number, isFirst: !this.#hasCommitted });
      if (!isStored) {
        this.#forget(sent);
        return false;
      }
    } catch (error) {
      if (isRolledBack(error)) this.#forget(sent);
      else {
        this.#group = [];
        if (error instanceof PartlySent) this.#giveUpUnknown(error, (unknown) => unknown === sent);
        transaction.lose();
      }
      throw error;
    }
    this.#hasCommitted = true;
    // Earlier ones are in front of this one, so they are as durable as it is.
    for (const one of new Set([...this.#unknown, sent])) this.#finish(one);
    this.#unknown = [];
    return true;
  }

  #forget(sent: Unknown): void {
    this.#unknown = this.#unknown.filter((unknown) => unknown !== sent);
  }

  async #again(): Promise<void> {
    this.#putBack();
    await this.#flush(true);
  }

  #putBack(): void {
    this.#queue = [...this.#group, ...this.#queue];
    this.#group = [];
  }

  #hasBegun(): boolean {
    return this.#transaction?.hasBegun === true;
  }

  /** After a failure of the whole group: it is run again, or refused if that would fail in the same way. */
  #refuse(error: unknown, hasBegun: boolean): void {
    if (!hasBegun || isLost(error) || isConflict(error)) this.#putBack();
    else for (const pending of this.#group) pending.reject(translateError(error));
  }

  /**
   * Finds out which unknown commits were stored. The lock is held, so their transactions have ended. What was stored is only
   * acknowledged with this transaction: the commit may not have reached the standby.
   */
  async #askForUnknown({ execute }: WriteTransaction): Promise<void> {
    const { rows } = await execute("SELECT number FROM writers WHERE instance = ?", [this.#options.instance]);
    // The row was there and is gone, so nothing says whether they were stored.
    if (rows.length === 0 && this.#hasCommitted)
      return this.#giveUpUnknown(new Error("the row of the writer was deleted"), () => true);
    const stored = Number(rows[0]?.["number"] ?? 0);
    const absent = this.#unknown.filter(({ number }) => number > stored);
    this.#unknown = this.#unknown.filter(({ number }) => number <= stored);
    this.#queue = [...absent.flatMap(({ group }) => group), ...this.#queue];
  }

  #finish({ group, ran, begun }: Omit<Unknown, "number">): void {
    this.#options.committed(group, begun, ran.touched);
    // The commit has stored the others of the group, or nothing.
    if (ran.refused !== undefined) this.#options.failed(ran.refused);
    ran.outcomes.forEach(settle);
  }

  async #connected(): Promise<Link> {
    if (this.#link !== undefined && !this.#link.isLost) return this.#link;
    this.#link = undefined;
    const { connector } = this.#options;
    return (this.#link = new Link(await connectSoon(connector, this.#closing.signal)));
  }
}
