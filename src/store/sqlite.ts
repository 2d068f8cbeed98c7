// The SQLite engine: one file in WAL mode, shared by any number of processes. The reads of an event-loop turn share a read
// transaction, and its writes share a commit, because the lock and the fsync are the expensive parts.
import type { Database } from "bun:sqlite";
import { chmodSync, existsSync } from "node:fs";
import { unavailable } from "../errors";
import { Erasure, type ErasureOptions, markClean } from "./erasure";
import { type Migration, migrate, refuseOther } from "./migrate";
import { type Awaitable, type Kind, query, type Query, type SqlValue, type Store } from "./port";
import { type Transaction, type Wait, type WriteOptions } from "./port";
import { Reserve } from "./reserve";
import { type Durability, open, openReader } from "./sqlite-file";
import { type Ran, runGroup, settle, type Waiting } from "./sqlite-group";
import { closeDatabase, isBusy, isFull, prepared, translate } from "./sqlite-steps";
import { CountedUse } from "./use";
import { Watch } from "./watch";
import { giveRoom, takeRoom, WriteHealth } from "./write-health";

export interface SqliteOptions extends ErasureOptions {
  file: string;
  migrations: readonly Migration[];
  /** `full` survives a power loss; `normal` may lose the last commits (the execution log uses it). Default `full`. */
  durability?: Durability;
  /** False: an older file is refused with `PendingMigration`. Default true. */
  mayMigrate?: boolean;
  /** How long a write waits for another process's lock, ms. Default 30 s. */
  lockTimeoutMs?: number;
  /** Opens the connection that writes. Replaced by tests. */
  openWriter?: typeof open;
}

interface Pending extends Waiting {
  since: number;
  /** May use the reserved room. */
  reserved: boolean;
}

// SQLite blocks the event loop while it waits for a lock, so it only waits this long; after that a timer retries.
const BUSY_TIMEOUT_MS = 20;
const LOCK_TIMEOUT_MS = 30_000;
const GATHER_MS = 2;
/** When a caller may retry a write that did not get the lock. */
const RETRY_AFTER_MS = 1000;

const GENERATIONS = query<{ kind: Kind; value: number }>("SELECT kind, value FROM generations");
const DATA_VERSION = query<{ data_version: number }>("PRAGMA data_version");

/** Opens and migrates a file. Throws `configuration` if it was written by a newer version, and `PendingMigration`. */
export function openSqlite(options: SqliteOptions): Store {
  const opened: Database[] = [];
  const keep = (database: Database): Database => {
    opened.push(database);
    return database;
  };
  try {
    // An existing file is only read until its version is known.
    const early = existsSync(options.file) ? keep(openReader(options.file)) : undefined;
    const { mayMigrate = true } = options;
    if (early !== undefined) refuseOther(early, options.migrations, { mayMigrate });
    const writer = keep((options.openWriter ?? open)(options.file, options.durability ?? "full"));
    migrate(writer, options.migrations, { initialize: markClean });
    chmodSync(options.file, 0o600);
    writer.run(`PRAGMA busy_timeout=${BUSY_TIMEOUT_MS}`);
    const reader = early ?? keep(openReader(options.file));
    return new SqliteStore(reader, writer, options);
  } catch (error) {
    for (const database of opened) closeDatabase(database);
    throw error;
  }
}

class SqliteStore implements Store {
  readonly use = new CountedUse(() => this.#queue.length);
  readonly #reader: Database;
  readonly #writer: Database;
  readonly #lockTimeoutMs: number;
  readonly #reserve: Reserve;
  readonly #erasure: Erasure;
  readonly #watch = new Watch((kind) => this.generation(kind));
  readonly #generations = new Map<Kind, number>();
  #dataVersion = -1;
  #reading = false;
  #generationsRead = false;
  #queue: Pending[] = [];
  /** A flush is running or scheduled. */
  #flushing = false;
  #closed = false;
  /** This process has written. */
  #wrote = false;
  readonly #writeHealth = new WriteHealth();

  constructor(reader: Database, writer: Database, options: SqliteOptions) {
    this.#reader = reader;
    this.#writer = writer;
    this.#lockTimeoutMs = options.lockTimeoutMs ?? LOCK_TIMEOUT_MS;
    this.#reserve = new Reserve(options.file);
    const [{ file }, writeHealth] = [options, this.#writeHealth];
    const endReads = (): void => this.#endRead();
    this.#erasure = new Erasure({ file, writer, writeHealth, endReads }, options);
  }

  async get<Row>(statement: Query<Row>, ...params: SqlValue[]): Promise<Row | undefined> {
    return this.use.read(() => {
      this.#beginRead();
      return prepared<Row>(this.#reader, statement.text).get(...params) ?? undefined;
    });
  }

  async all<Row>(statement: Query<Row>, ...params: SqlValue[]): Promise<Row[]> {
    return this.use.read(() => this.#all(statement, ...params));
  }

  #all<Row>(statement: Query<Row>, ...params: SqlValue[]): Row[] {
    this.#beginRead();
    return prepared<Row>(this.#reader, statement.text).all(...params);
  }

  async reserve(): Promise<void> {
    this.#reserve.fill();
  }

  write<T>(body: () => Transaction<T>, { reserved = false }: WriteOptions = {}): Promise<T> {
    if (this.#closed) return Promise.reject(closed());
    return new Promise<T>((resolve, reject) => {
      // The queue contains transactions of every type; each is resolved with the result of its own body.
      const settle = resolve as (value: unknown) => void;
      this.#queue.push({
        body,
        resolve: settle,
        reject,
        since: performance.now(),
        reserved,
      });
      if (!this.#flushing) this.#gather(0, performance.now());
      this.#flushing = true;
    });
  }

  generation(kind: Kind): Awaitable<number> {
    if (this.#closed) throw closed();
    if (!this.#generationsRead) {
      // `data_version` of a connection changes when another connection commits. Commits of the writer are counted here, so
      // the table is read again only after commits of other processes. This needs no transaction, and most turns of a busy
      // server read nothing else.
      const version =
        prepared<{ data_version: number }>(this.#writer, DATA_VERSION.text).get()?.data_version ?? 0;
      if (version !== this.#dataVersion) {
        // A read transaction from before that commit would not see it.
        this.#endRead();
        for (const row of this.#all(GENERATIONS)) this.#generations.set(row.kind, row.value);
        this.#dataVersion = version;
      }
      this.#generationsRead = true;
      if (!this.#reading) setImmediate(this.#endTurn);
    }
    return this.#generations.get(kind) ?? 0;
  }

  async check(): Promise<void> {
    this.#all(GENERATIONS);
    await this.#writeHealth.check(async () => {
      await this.write(takeRoom);
      await this.write(giveRoom);
    });
  }

  changed(kind: Kind, since: number, wait: Wait): Promise<void> {
    return this.#watch.changed(kind, since, wait);
  }

  endReads(): void {
    this.#endRead();
  }

  async close(): Promise<void> {
    while (this.#queue.length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    if (this.#closed) return;
    this.#closed = true;
    this.#erasure.stop();
    this.#watch.close();
    this.#endRead();
    if (this.#wrote) await this.#erasure.finish();
    closeDatabase(this.#reader);
    closeDatabase(this.#writer);
  }

  #beginRead(): void {
    if (this.#reading) return;
    if (this.#closed) throw closed();
    this.#reader.query("BEGIN").run();
    this.#reading = true;
    setImmediate(this.#endTurn);
  }

  readonly #endTurn = (): void => this.#endRead();

  #endRead(): void {
    this.#generationsRead = false;
    if (!this.#reading) return;
    this.#reading = false;
    try {
      this.#reader.query("COMMIT").run();
    } catch (error) {
      // A failed read (I/O error, damaged file) may have ended the transaction. Its caller got the error; others must not be
      // affected. `check` tests the database again.
      this.#writeHealth.failed(error);
      if (this.#reader.inTransaction) this.#reader.query("ROLLBACK").run();
    }
  }

  // A commit costs as much for one write as for fifty, so a group waits for more writes. It is flushed after an event-loop
  // turn without a new write, or after two milliseconds.
  #gather(known: number, since: number): void {
    setImmediate(() => {
      const { length } = this.#queue;
      if (length > known && performance.now() - since < GATHER_MS) this.#gather(length, since);
      else this.#flush();
    });
  }

  /** `savepoints`: a body of the group has failed after a write. */
  #flush(savepoints = false): void {
    this.#flushing = false;
    try {
      prepared(this.#writer, "BEGIN IMMEDIATE").run();
    } catch (error) {
      this.#later(error);
      return;
    }
    const begun = performance.now();
    const group = this.#queue;
    this.#queue = [];
    let ran: Ran | undefined;
    try {
      ran = runGroup(this.#writer, group, savepoints);
      prepared(this.#writer, ran === undefined ? "ROLLBACK" : "COMMIT").run();
    } catch (error) {
      // The whole group is lost (disk full, I/O error): every caller gets an error, except those with reserved room.
      if (this.#writer.inTransaction) prepared(this.#writer, "ROLLBACK").run();
      this.#writeHealth.failed(error);
      const again = this.#useReserve(error, group);
      for (const outcome of ran?.outcomes ?? []) {
        if ("error" in outcome && !again.some((pending) => pending === outcome.of)) settle(outcome);
      }
      for (const pending of group) if (!again.includes(pending)) pending.reject(translate(error));
      if (again.length === 0) return;
      this.#queue = [...again, ...this.#queue];
      this.#flush();
      return;
    }
    if (ran === undefined) {
      this.#queue = group;
      this.#flush(true);
      return;
    }
    this.#writeHealth.succeeded();
    this.use.wrote(group, begun);
    this.#wrote = true;
    // End the shared read transaction, which is older than the commit: a caller must read its own write.
    this.#endRead();
    for (const [kind, value] of this.#generations)
      if (ran.touched.has(kind)) this.#generations.set(kind, value + 1);
    ran.outcomes.forEach(settle);
    void this.#watch.check();
  }

  /** On a full disk, gives up the reserved room. Returns the writes that may use it; each may once. */
  #useReserve(error: unknown, group: readonly Pending[]): Pending[] {
    const reserved = isFull(error) ? group.filter((pending) => pending.reserved) : [];
    if (reserved.length === 0 || !this.#reserve.giveUp()) return [];
    return reserved.map((pending) => Object.assign(pending, { reserved: false }));
  }

  // Another process has the lock: retry with a timer, and reject the writes that have waited too long.
  #later(error: unknown): void {
    const busy = isBusy(error);
    if (busy) this.#writeHealth.waits(this.#queue[0]?.since ?? performance.now());
    else this.#writeHealth.failed(error);
    const oldest = performance.now() - this.#lockTimeoutMs;
    const [expired, waiting] = [
      this.#queue.filter((pending) => !busy || pending.since < oldest),
      this.#queue.filter((pending) => busy && pending.since >= oldest),
    ];
    this.#queue = waiting;
    for (const pending of expired) {
      pending.reject(
        unavailable("The database is locked by another process or cannot be written.", {
          cause: error,
          retryAfterMs: RETRY_AFTER_MS,
        }),
      );
    }
    this.#flushing = waiting.length > 0;
    if (this.#flushing) setTimeout(() => this.#flush(), 1 + Math.random() * 15);
  }
}

function closed(): Error {
  return unavailable("The database is closed because this process is about to stop.");
}
