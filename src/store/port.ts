// The database port. Its answers are promises, so the same services run on an engine that answers at once and on one
// that answers later.

export type SqlValue = string | number | null;
/** For the store and its caches only: everything above them is plain async. */
export type Awaitable<T> = T | Promise<T>;

/** Goes on with a value: now when it is there, else when it comes. A turn of waiting costs as much as a look-up. */
export function after<T, R>(value: Awaitable<T>, next: (value: T) => Awaitable<R>): Awaitable<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** A fixed statement in the common subset of SQL, with `?` parameters. `Row` is what one row of it looks like. */
export interface Query<Row> {
  readonly text: string;
  /** Only for the type checker: never set. */
  readonly row?: Row;
}

export function query<Row = never>(text: string): Query<Row> {
  return { text };
}

/** One statement that a transaction asks its engine to run. */
export interface Step {
  readonly method: "get" | "all" | "run";
  readonly text: string;
  readonly params: readonly SqlValue[];
}

/**
 * The body of a transaction: a generator that yields steps. One body runs to its end inside
 * `BEGIN IMMEDIATE … COMMIT` on SQLite and step by step elsewhere. It must not wait for anything but its steps, and
 * change nothing but rows: an engine may roll it back and run it anew.
 */
export interface Transaction<T> {
  next(answer?: unknown): IteratorResult<Step, T>;
  throw(error: unknown): IteratorResult<Step, T>;
  return(value: T): IteratorResult<Step, T>;
  [Symbol.iterator](): Transaction<T>;
}

// Written out, since a generator for each step would cost every write a microsecond.
class OneStep<T> implements Transaction<T> {
  #step: Step | undefined;

  constructor(method: Step["method"], text: string, params: readonly SqlValue[]) {
    this.#step = { method, text, params };
  }

  next(answer?: unknown): IteratorResult<Step, T> {
    const value = this.#step;
    // The engine answers with what the statement declares.
    if (value === undefined) return { done: true, value: answer as T };
    this.#step = undefined;
    return { done: false, value };
  }

  throw(error: unknown): never {
    throw error;
  }

  return(value: T): IteratorResult<Step, T> {
    this.#step = undefined;
    return { done: true, value };
  }

  [Symbol.iterator](): this {
    return this;
  }
}

/** First row of a query, inside a transaction. */
export function get<Row>(statement: Query<Row>, ...params: SqlValue[]): Transaction<Row | undefined> {
  return new OneStep("get", statement.text, params);
}

/** All rows of a query, inside a transaction. */
export function all<Row>(statement: Query<Row>, ...params: SqlValue[]): Transaction<Row[]> {
  return new OneStep("all", statement.text, params);
}

/** Runs a statement inside a transaction; the number of rows it changed. */
export function run(statement: Query<never>, ...params: SqlValue[]): Transaction<number> {
  return new OneStep("run", statement.text, params);
}

/** Kinds of records that are cached or waited for. A change raises the kind's generation in its own transaction. */
export const KINDS = [
  "keys",
  "projects",
  "providers",
  "secrets",
  "settings",
  "connections",
  "authorizations",
  "leases",
  "idempotency",
  "hooks",
  "gateways",
  "models",
  "data_keys",
] as const;
export type Kind = (typeof KINDS)[number];

/**
 * The only statement that raises a generation: an engine counts what it commits, and may run it once for all touches of a
 * kind that it commits together.
 */
export const TOUCH = query<never>("UPDATE generations SET value = value + 1 WHERE kind = ?");

/** Says, inside the transaction that changes it, that a kind of record has changed. */
export function touch(kind: Kind): Transaction<void> {
  return new OneStep("run", TOUCH.text, [kind]);
}

export interface Wait {
  timeoutMs: number;
  signal?: AbortSignal;
}

export interface Store {
  /** First row, or undefined. */
  get<Row>(statement: Query<Row>, ...params: SqlValue[]): Promise<Row | undefined>;
  all<Row>(statement: Query<Row>, ...params: SqlValue[]): Promise<Row[]>;
  /**
   * Runs a transaction body and resolves after its commit is durable. What the body throws rolls it back and rejects.
   * Throws `unavailable` when the write lock cannot be had in time.
   */
  write<T>(body: () => Transaction<T>): Promise<T>;
  /** The kind's generation, read at most once per event-loop turn. */
  generation(kind: Kind): Awaitable<number>;
  /** Resolves when the kind's generation is no longer `since`, whichever process changed it, or when time is up. */
  changed(kind: Kind, since: number, wait: Wait): Promise<void>;
  /** Resolves when the database can be read and the last commit went through; rejects with the reason otherwise. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** What an engine throws when a row breaks a UNIQUE or PRIMARY KEY rule. */
export class UniqueViolation extends Error {
  constructor(cause: unknown) {
    super("a row with this key exists", { cause });
  }
}
