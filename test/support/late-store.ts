// A second engine of the store port, for tests only. It keeps its rows in SQLite but answers as a database server does:
// every read, every step of a transaction and every commit comes a turn of the event loop later. What forgets an
// `await`, or counts on nothing happening between two reads, passes on SQLite and fails here.
import { Database, SQLiteError } from "bun:sqlite";
import { unavailable } from "../../src/errors";
import type { Kind, Query, SqliteOptions, SqlValue, Store, Transaction, Wait } from "../../src/store";
import { openSqlite, query } from "../../src/store";
import { runStep, translate } from "../../src/store/sqlite-steps";
import { Watch } from "../../src/store/watch";
import { openOnPostgres, TEST_DATABASE } from "./postgres-engine";

const LOCK_TIMEOUT_MS = 30_000;
const GENERATION = query<{ value: number }>("SELECT value FROM generations WHERE kind = ?");

/**
 * Opens (and migrates) the file. Same options, answers and errors as `openSqlite`, a turn later. With
 * RUNTIME_TEST_DATABASE=postgres, which answers later itself, a store there.
 */
export function openLateStore(options: SqliteOptions): Store {
  if (TEST_DATABASE !== undefined) return openOnPostgres(options, TEST_DATABASE);
  // The real engine makes, checks and migrates the file. With nothing queued it closes before `close` returns.
  void openSqlite(options).close();
  return new LateStore(
    connect(options.file),
    connect(options.file),
    options.lockTimeoutMs ?? LOCK_TIMEOUT_MS,
  );
}

function connect(file: string): Database {
  const database = new Database(file, { readwrite: true, strict: true });
  // Two stores of one process stand in each other's way between two turns: SQLite must not block the turn that
  // would release the lock.
  database.run("PRAGMA busy_timeout=0");
  database.run("PRAGMA foreign_keys=ON");
  return database;
}

class LateStore implements Store {
  readonly #reader: Database;
  readonly #writer: Database;
  readonly #lockTimeoutMs: number;
  readonly #watch = new Watch((kind) => this.generation(kind));
  #queued: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(reader: Database, writer: Database, lockTimeoutMs: number) {
    this.#reader = reader;
    this.#writer = writer;
    this.#lockTimeoutMs = lockTimeoutMs;
  }

  async get<Row>(statement: Query<Row>, ...params: SqlValue[]): Promise<Row | undefined> {
    return (await this.#read("get", statement.text, params)) as Row | undefined;
  }

  async all<Row>(statement: Query<Row>, ...params: SqlValue[]): Promise<Row[]> {
    return (await this.#read("all", statement.text, params)) as Row[];
  }

  async generation(kind: Kind): Promise<number> {
    return (await this.get(GENERATION, kind))?.value ?? 0;
  }

  async check(): Promise<void> {
    await this.generation("projects");
  }

  changed(kind: Kind, since: number, wait: Wait): Promise<void> {
    return this.#watch.changed(kind, since, wait);
  }

  write<T>(body: () => Transaction<T>): Promise<T> {
    if (this.#closed) return Promise.reject(unavailable("The database is closed."));
    const written = this.#queued.then(() => this.#commit(body));
    this.#queued = written.catch(() => undefined);
    return written;
  }

  /** Its reads share no transaction. */
  endReads(): void {}

  async reserve(): Promise<void> {
    await nextTurn();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#queued;
    this.#watch.close();
    await nextTurn();
    this.#reader.close();
    this.#writer.close();
  }

  async #read(method: "get" | "all", text: string, params: SqlValue[]): Promise<unknown> {
    await nextTurn();
    if (this.#closed) throw unavailable("The database is closed.");
    return runStep(this.#reader, { method, text, params });
  }

  async #commit<T>(body: () => Transaction<T>): Promise<T> {
    await this.#begin();
    try {
      const value = await this.#runSteps(body());
      await nextTurn();
      this.#writer.run("COMMIT");
      void this.#watch.check();
      return value;
    } catch (error) {
      await nextTurn();
      if (this.#writer.inTransaction) this.#writer.run("ROLLBACK");
      throw translate(error);
    }
  }

  async #begin(): Promise<void> {
    const until = performance.now() + this.#lockTimeoutMs;
    for (;;) {
      await nextTurn();
      try {
        this.#writer.run("BEGIN IMMEDIATE");
        return;
      } catch (error) {
        const busy = error instanceof SQLiteError && error.code?.startsWith("SQLITE_BUSY");
        if (!busy || performance.now() > until)
          throw unavailable("The database is locked by another process.", { cause: error });
        await Bun.sleep(2);
      }
    }
  }

  async #runSteps<T>(transaction: Transaction<T>): Promise<T> {
    let state = transaction.next();
    while (!state.done) {
      await nextTurn();
      let answer: unknown;
      try {
        answer = runStep(this.#writer, state.value);
      } catch (error) {
        state = transaction.throw(translate(error));
        continue;
      }
      state = transaction.next(answer);
    }
    return state.value;
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
