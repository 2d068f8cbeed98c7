// Engine 1: one SQLite file in WAL mode, shared by any number of processes. Reads of one event-loop turn share a read
// transaction, writes of one turn share a commit: the lock and the fsync are what costs, not the statements.
import type { Database } from "bun:sqlite";
import { chmodSync, existsSync } from "node:fs";
import { unavailable } from "../errors";
import { type Migration, migrate, refuseNewer } from "./migrate";
import { type Awaitable, type Kind, query, type Query, type SqlValue, type Store } from "./port";
import { run, type Transaction, type Wait } from "./port";
import { type Durability, open, openReader } from "./sqlite-file";
import { type Ran, runGroup, settle, type Waiting } from "./sqlite-group";
import { closeDatabase, isBusy, prepared, translate } from "./sqlite-steps";
import { Watch } from "./watch";

export interface SqliteOptions {
  file: string;
  migrations: readonly Migration[];
  /** `full` survives power loss; `normal` may lose the last commits then (the execution log). Default `full`. */
  durability?: Durability;
  /** How long a write waits for another process's lock, ms. Default 30 s. */
  lockTimeoutMs?: number;
}

interface Pending extends Waiting {
  since: number;
}

// A blocked event loop is an outage: SQLite itself waits only this long for a lock, the rest is a timer's work.
const BUSY_TIMEOUT_MS = 20;
const LOCK_TIMEOUT_MS = 30_000;
const GATHER_MS = 2;
/** When a caller whose write found the lock taken may try again. */
const RETRY_AFTER_MS = 1000;

const GENERATIONS = query<{ kind: Kind; value: number }>("SELECT kind, value FROM generations");
const MAKE_ROOM_TABLE = query("CREATE TABLE IF NOT EXISTS room (value TEXT NOT NULL) STRICT");
const FILL_ROOM = query("INSERT INTO room (value) VALUES (?)");
const DROP_ROOM_TABLE = query("DROP TABLE IF EXISTS room");
const ROOM_BYTES = 128 * 1024;
const DATA_VERSION = query<{ data_version: number }>("PRAGMA data_version");

/** Opens (and migrates) the file. Throws `configuration` when it was written by a newer version. */
export function openSqlite(options: SqliteOptions): Store {
  const opened: Database[] = [];
  const keep = (database: Database): Database => {
    opened.push(database);
    return database;
  };
  try {
    // A file that is there is only read until it is known to be one of ours.
    const early = existsSync(options.file) ? keep(openReader(options.file)) : undefined;
    if (early !== undefined) refuseNewer(early, options.migrations);
    const writer = keep(open(options.file, options.durability ?? "full"));
    migrate(writer, options.migrations);
    chmodSync(options.file, 0o600);
    writer.run(`PRAGMA busy_timeout=${BUSY_TIMEOUT_MS}`);
    const reader = early ?? keep(openReader(options.file));
    return new SqliteStore(reader, writer, options.lockTimeoutMs ?? LOCK_TIMEOUT_MS);
  } catch (error) {
    for (const database of opened) closeDatabase(database);
    throw error;
  }
}

class SqliteStore implements Store {
  readonly #reader: Database;
  readonly #writer: Database;
  readonly #lockTimeoutMs: number;
  readonly #watch = new Watch((kind) => this.generation(kind));
  readonly #generations = new Map<Kind, number>();
  #dataVersion = -1;
  #reading = false;
  #generationsRead = false;
  #queue: Pending[] = [];
  /** A flush is under way or planned. */
  #flushing = false;
  #closed = false;
  /** Why the last group could not be committed; a commit that goes through clears it. */
  #failure: unknown;

  constructor(reader: Database, writer: Database, lockTimeoutMs: number) {
    this.#reader = reader;
    this.#writer = writer;
    this.#lockTimeoutMs = lockTimeoutMs;
  }

  async get<Row>(statement: Query<Row>, ...params: SqlValue[]): Promise<Row | undefined> {
    this.#beginRead();
    return prepared<Row>(this.#reader, statement.text).get(...params) ?? undefined;
  }

  async all<Row>(statement: Query<Row>, ...params: SqlValue[]): Promise<Row[]> {
    return this.#all(statement, ...params);
  }

  #all<Row>(statement: Query<Row>, ...params: SqlValue[]): Row[] {
    this.#beginRead();
    return prepared<Row>(this.#reader, statement.text).all(...params);
  }

  write<T>(body: () => Transaction<T>): Promise<T> {
    if (this.#closed) return Promise.reject(closed());
    return new Promise<T>((resolve, reject) => {
      // The queue holds transactions of every type; each is resolved with what its own body returned.
      const settle = resolve as (value: unknown) => void;
      this.#queue.push({
        body,
        resolve: settle,
        reject,
        since: performance.now(),
      });
      if (!this.#flushing) this.#gather(0, performance.now());
      this.#flushing = true;
    });
  }

  generation(kind: Kind): Awaitable<number> {
    if (this.#closed) throw closed();
    if (!this.#generationsRead) {
      // Of a connection `data_version` changes when any other one commits. What the writer commits is counted as it does
      // so: only commits of other processes make us read the table again. It needs no transaction, and most turns of a
      // busy server ask for nothing else.
      const version =
        prepared<{ data_version: number }>(this.#writer, DATA_VERSION.text).get()?.data_version ?? 0;
      if (version !== this.#dataVersion) {
        // A read transaction that is older than that commit would answer what was before it.
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
    // A database whose commits fail is asked again: the disk may have room again.
    if (this.#failure !== undefined) {
      await this.write(takeRoom);
      await this.write(giveRoom);
    }
    this.#all(GENERATIONS);
  }

  changed(kind: Kind, since: number, wait: Wait): Promise<void> {
    return this.#watch.changed(kind, since, wait);
  }

  async close(): Promise<void> {
    while (this.#queue.length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    if (this.#closed) return;
    this.#closed = true;
    this.#watch.close();
    this.#endRead();
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
      // A read that failed (I/O error, damaged file) may have ended the transaction. Who read was told; nobody else is
      // to pay for it, least of all the process, and `check` looks at the database again.
      this.#failure = error;
      if (this.#reader.inTransaction) this.#reader.query("ROLLBACK").run();
    }
  }

  // A commit costs as much for one write as for fifty. So the group waits for who comes in the same moment: it goes when
  // a turn of the event loop has brought nobody new, or after two milliseconds.
  #gather(known: number, since: number): void {
    setImmediate(() => {
      const { length } = this.#queue;
      if (length > known && performance.now() - since < GATHER_MS) this.#gather(length, since);
      else this.#flush();
    });
  }

  /** `apart`: a body of the group has failed after it had written. */
  #flush(apart = false): void {
    this.#flushing = false;
    try {
      prepared(this.#writer, "BEGIN IMMEDIATE").run();
    } catch (error) {
      this.#later(error);
      return;
    }
    const group = this.#queue;
    this.#queue = [];
    let ran: Ran | undefined;
    try {
      ran = runGroup(this.#writer, group, apart);
      prepared(this.#writer, ran === undefined ? "ROLLBACK" : "COMMIT").run();
    } catch (error) {
      // The whole group is gone (disk full, I/O error): nobody is told that it was stored.
      if (this.#writer.inTransaction) prepared(this.#writer, "ROLLBACK").run();
      this.#failure = error;
      for (const outcome of ran?.outcomes ?? []) if ("error" in outcome) settle(outcome);
      for (const pending of group) pending.reject(translate(error));
      return;
    }
    if (ran === undefined) {
      this.#queue = group;
      this.#flush(true);
      return;
    }
    this.#failure = undefined;
    // A caller reads its own write: the shared read transaction, older than the commit, ends here.
    this.#endRead();
    for (const [kind, value] of this.#generations)
      if (ran.touched.has(kind)) this.#generations.set(kind, value + 1);
    ran.outcomes.forEach(settle);
    void this.#watch.check();
  }

  // The lock is somebody else's: try again by timer; give up those that have waited too long.
  #later(error: unknown): void {
    const busy = isBusy(error);
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
  return unavailable("The database is closed: this process is about to stop.");
}

// As much as any ordinary write. The log has some room left even on a full disk, where a page or two would still fit and
// the next secret would not. Two transactions: pages that one takes and gives back are never written.
function* takeRoom(): Transaction<void> {
  yield* run(MAKE_ROOM_TABLE);
  yield* run(FILL_ROOM, "x".repeat(ROOM_BYTES));
}

function* giveRoom(): Transaction<void> {
  yield* run(DROP_ROOM_TABLE);
}
