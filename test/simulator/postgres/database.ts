// A database of the scripted server: a SQLite file. Reads see what is committed; one session at a time has the lock of the
// writers, and its transaction.
import type { Database } from "bun:sqlite";
import { open, openReader } from "../../../src/store/sqlite-file";
import { closeDatabase } from "../../../src/store/sqlite-steps";
import type { DatabaseName } from "./fates";
import { Fates } from "./fates";
import type { Ledger, WriteRecord } from "./ledger";
import type { Client } from "./parts";
import type { Session } from "./session";

/** What the transaction of the lock's holder has done so far. */
interface OpenTransaction {
  wrote: boolean;
  readonly records: Set<WriteRecord>;
  readonly notices: Set<string>;
}

const VERSION_ROW =
  "INSERT INTO generations (kind, value) SELECT 'schema', MAX(version) FROM schema_migrations WHERE true " +
  "ON CONFLICT (kind) DO NOTHING";

export class ScriptedDatabase {
  readonly name: DatabaseName;
  readonly fates = new Fates();
  /** Channels, and the sessions that listen to them. */
  readonly listeners = new Map<Session, string>();
  /** The writes whose bodies wait for an answer. */
  readonly running = new Map<Client, WriteRecord>();
  readonly writer: Database;
  /** The generations after commits whose answers have arrived. */
  readonly acknowledged = new Map<string, number>();
  readonly #ledger: Ledger;
  readonly #below: (limit: number) => number;
  readonly #reader: Database;
  /** A read transaction goes on until something is committed: each costs more than what is read in it. */
  #isReading = false;
  #holder: Session | undefined;
  #waiting: Session[] = [];
  #transaction: OpenTransaction = newTransaction();

  constructor(file: string, ledger: Ledger, below: (limit: number) => number) {
    this.name = file.endsWith("runtime.db") ? "records" : "log";
    this.#ledger = ledger;
    this.#below = below;
    this.writer = open(file, "normal");
    this.writer.run("PRAGMA synchronous=OFF");
    this.writer.run(
      "CREATE TABLE IF NOT EXISTS writers (instance TEXT PRIMARY KEY, number REAL NOT NULL, at REAL NOT NULL)",
    );
    this.writer.run(VERSION_ROW);
    this.#reader = openReader(file);
  }

  /** Sees what is committed. */
  get reader(): Database {
    if (!this.#isReading) this.#reader.run("BEGIN");
    this.#isReading = true;
    return this.#reader;
  }

  get holder(): Session | undefined {
    return this.#holder;
  }

  /** Called before something else changes the file. */
  endReads(): void {
    if (this.#isReading) this.#reader.run("COMMIT");
    this.#isReading = false;
  }

  close(): void {
    this.endReads();
    closeDatabase(this.#reader);
    closeDatabase(this.writer);
  }

  /** Whether the session has the lock now; else it is told later. */
  lock(session: Session): boolean {
    if (this.#holder !== undefined || !session.mayLock) {
      this.#waiting.push(session);
      return false;
    }
    this.#give(session);
    return true;
  }

  stopWaiting(session: Session): void {
    this.#waiting = this.#waiting.filter((waiting) => waiting !== session);
  }

  /** Gives the lock to one that waits for it, if it is free. */
  giveLock(): void {
    if (this.#holder !== undefined) return;
    const ready = this.#waiting.filter(({ mayLock }) => mayLock);
    const next = ready[this.#below(ready.length)];
    if (next === undefined) return;
    this.stopWaiting(next);
    this.#give(next);
    next.locked();
  }

  /** A statement of a write runs in the transaction. */
  began(record: WriteRecord): void {
    this.#transaction.records.add(record);
  }

  /** Its body has failed, so nothing of it is stored. */
  failed(record: WriteRecord): void {
    this.#transaction.records.delete(record);
  }

  wrote(): void {
    this.#transaction.wrote = true;
  }

  notify(payload: string): void {
    this.#transaction.notices.add(payload);
  }

  /** The generations after the commit, and the listeners to be told. */
  commit(): { generations: ReadonlyMap<string, number>; told: Session[] } {
    const { wrote, records, notices } = this.#transaction;
    this.endReads();
    this.writer.run("COMMIT");
    for (const record of records) this.#ledger.committed(record, wrote);
    this.#release();
    const told = notices.size === 0 ? [] : [...this.listeners.keys()];
    return { generations: wrote ? this.#generations() : new Map(), told };
  }

  rollBack(): void {
    this.writer.run("ROLLBACK");
    this.#release();
  }

  /** The answer to a commit has arrived. */
  acknowledge(generations: ReadonlyMap<string, number>): void {
    for (const [kind, value] of generations)
      if (value > (this.acknowledged.get(kind) ?? 0)) this.acknowledged.set(kind, value);
  }

  #give(session: Session): void {
    this.#holder = session;
    this.#transaction = newTransaction();
    this.writer.run("BEGIN IMMEDIATE");
  }

  #release(): void {
    this.#holder = undefined;
    this.#transaction = newTransaction();
    this.giveLock();
  }

  #generations(): Map<string, number> {
    const rows = this.reader
      .query<{ kind: string; value: number }, []>("SELECT kind, value FROM generations")
      .all();
    return new Map(rows.map(({ kind, value }) => [kind, value]));
  }
}

function newTransaction(): OpenTransaction {
  return { wrote: false, records: new Set(), notices: new Set() };
}
