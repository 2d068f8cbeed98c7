// The database port. Its answers are promises, so the same services run on an engine that answers at once and on one
// that answers later.

export type SqlValue = string | number | null;
/** For the store and its caches only: everything above them is plain async. */
export type Awaitable<T> = T | Promise<T>;

/** A constant statement in the common subset of SQL, with `?` parameters. `Row` is the type of its rows. */
export interface Query<Row> {
  readonly text: string;
  /** Only for the type checker; never set. */
  readonly row?: Row;
}

export function query<Row = never>(text: string): Query<Row> {
  return { text };
}

/** A statement that a transaction yields to its engine. */
export interface Step {
  readonly method: "get" | "all" | "run";
  readonly text: string;
  readonly params: readonly SqlValue[];
  /** The body does not use the answer, so an engine may go on before it has it. */
  readonly isUnread?: boolean;
  /** Set for a kept row, see `getKept`. */
  readonly kept?: KeptStep;
}

/** What a step does with a kept row. */
export interface KeptStep {
  /** The statement that finds the row, with the id as its only parameter. */
  readonly find: string;
  readonly id: string;
  /** The row changes only with a touch of this kind; undefined: only by `putKept`. */
  readonly kind?: Kind | undefined;
  /** The changed row. Absent: the step reads it. */
  readonly row?: object;
}

/** Steps of a list do not depend on each other. They run in its order, and the answer is a list of theirs. */
export type Yielded = Step | readonly Step[];

/** For the type checker, which does not tell a list that cannot be changed from an object. */
export function isList(yielded: Yielded): yielded is readonly Step[] {
  return Array.isArray(yielded);
}

/**
 * The body of a transaction: a generator that yields steps. On SQLite it runs synchronously inside
 * `BEGIN IMMEDIATE … COMMIT`, on other engines step by step. It must not wait for anything else and must not have side
 * effects, because an engine may roll it back and run it again.
 */
export interface Transaction<T> {
  next(answer?: unknown): IteratorResult<Yielded, T>;
  throw(error: unknown): IteratorResult<Yielded, T>;
  return(value: T): IteratorResult<Yielded, T>;
  [Symbol.iterator](): Transaction<T>;
}

function* step<T>(
  method: Step["method"],
  text: string,
  params: readonly SqlValue[],
): Generator<Yielded, T, unknown> {
  // The engine answers with what the statement declares.
  return (yield { method, text, params }) as T;
}

/** First row of a query, inside a transaction. */
export function get<Row>(statement: Query<Row>, ...params: SqlValue[]): Transaction<Row | undefined> {
  return step("get", statement.text, params);
}

/** All rows of a query, inside a transaction. */
export function all<Row>(statement: Query<Row>, ...params: SqlValue[]): Transaction<Row[]> {
  return step("all", statement.text, params);
}

/** Runs a statement inside a transaction; the number of rows it changed. */
export function run(statement: Query<never>, ...params: SqlValue[]): Transaction<number> {
  return step("run", statement.text, params);
}

/**
 * Runs a statement inside a transaction, whose number of changed rows the body does not need. If it fails, a later step or the
 * commit may fail in its place; the body then runs again, with a failure of each step at its place.
 */
export function* send(statement: Query<never>, ...params: SqlValue[]): Transaction<void> {
  yield { method: "run", text: statement.text, params, isUnread: true };
}

/**
 * A row that almost every transaction reads. An engine may read it once for all transactions that share a commit. So within
 * transactions, it may only be changed by `putKept`, or, if there is a kind, next to a touch of it.
 */
export function* getKept<Row extends object>(
  find: Query<Row>,
  id: string,
  kind?: Kind,
): Transaction<Row | undefined> {
  const step: Step = { method: "get", text: find.text, params: [id], kept: { find: find.text, id, kind } };
  // The engine answers with what the statement declares.
  return (yield step) as Row | undefined;
}

/** Stores the row that `find` finds from now on. An engine may run only the last `put` of a row in a commit. */
export function* putKept<Row extends object>(
  { find, id, row }: { find: Query<Row>; id: string; row: Row },
  put: Query<never>,
  params: readonly SqlValue[],
): Transaction<void> {
  yield { method: "run", text: put.text, params, isUnread: true, kept: { find: find.text, id, row } };
}

/** Two queries, of one step each, whose answers do not depend on each other: an engine may ask for them together. */
export function* together<A, B>(one: Transaction<A>, other: Transaction<B>): Transaction<[A, B]> {
  const steps = [stepOf(one), stepOf(other)];
  // An engine answers a list with a list.
  const [first, second] = (yield steps) as unknown as [unknown, unknown];
  return [resultOf(one.next(first)), resultOf(other.next(second))];
}

function stepOf(query: Transaction<unknown>): Step {
  const { done, value } = query.next();
  if (done !== true && !isList(value)) return value;
  throw new Error("only queries of one step may run together");
}

function resultOf<T>({ done, value }: IteratorResult<Yielded, T>): T {
  if (done === true) return value;
  throw new Error("only queries of one step may run together");
}

/** Kinds of records that are cached or waited for. A change of a record raises the kind's generation in its transaction. */
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
  "workers",
  "identity_keys",
  "suspensions",
  "data_keys",
  "people",
  "sessions",
  "clients",
  "token_keys",
  "workloads",
] as const;
export type Kind = (typeof KINDS)[number];

/**
 * The only statement that raises a generation. An engine counts these statements, and may run one for all touches of a
 * kind in a commit.
 */
export const TOUCH = query<never>("UPDATE generations SET value = value + 1 WHERE kind = ?");

/** Raises the generation of a kind. Runs in the transaction that changes a record. */
export function touch(kind: Kind): Transaction<void> {
  return step("run", TOUCH.text, [kind]);
}

/** Marks that rests of deleted values must not stay in the file. See `Erasure`. */
const ERASE = query<never>("PRAGMA user_version = 0");

/**
 * For transactions that delete or replace something that must be gone, such as keys, grants and secrets. The engine then
 * removes what such deletions leave behind inside pages.
 */
export function erase(): Transaction<void> {
  return step("run", ERASE.text, []);
}

export interface Wait {
  timeoutMs: number;
  signal?: AbortSignal;
  /** How often commits of other processes are looked for; by default every 50 ms. */
  pollMs?: number;
}

export interface WriteOptions {
  /** If the disk is full, the write uses the room of `reserve`. */
  reserved?: boolean;
}

/** How often a cache of records had a value, and how often it had to be loaded. */
export interface CacheUse {
  hits: number;
  misses: number;
}

/** Told how long the work of a store takes, in ms. */
export interface StoreObserver {
  read(ms: number): void;
  /** `waitMs`: of these, how long it has waited for its transaction. */
  wrote(ms: number, waitMs: number): void;
}

/** What a store has done since it was opened, for metrics. */
export interface StoreUse {
  /** By the kind of the records. */
  readonly caches: ReadonlyMap<Kind, CacheUse>;
  /** Writes that wait for a transaction. */
  readonly waitingWrites: number;
  /** What the caches of a kind count in. */
  cacheUse(kind: Kind): CacheUse;
  /** Tells `observer` from now on. */
  observe(observer: StoreObserver): void;
}

export interface Store {
  /** Absent: the store does not count. */
  readonly use?: StoreUse;
  /** First row, or undefined. */
  get<Row>(statement: Query<Row>, ...params: SqlValue[]): Promise<Row | undefined>;
  all<Row>(statement: Query<Row>, ...params: SqlValue[]): Promise<Row[]>;
  /**
   * Runs a transaction and resolves after its commit is durable. An error of the body rolls it back and rejects.
   * Throws `unavailable` if the write lock is not available in time.
   */
  write<T>(body: () => Transaction<T>, options?: WriteOptions): Promise<T>;
  /**
   * Reserves room on the disk for a later write with `reserved`. Called before a request whose answer must be stored.
   * Throws `unavailable` if there is no room.
   */
  reserve(): Promise<void>;
  /** The generation of a kind. It is read at most once per event-loop turn. */
  generation(kind: Kind): Awaitable<number>;
  /**
   * Runs the work of a request. On engines that must ask for generations, its steps share what one of them has read, for a few
   * milliseconds. Absent: they cost nothing.
   */
  request?<T>(work: () => T): T;
  /** Resolves when any process changes the generation from `since`, or when the time is over. */
  changed(kind: Kind, since: number, wait: Wait): Promise<void>;
  /** Ends the shared read transaction, before something that may block this process for long. */
  endReads(): void;
  /**
   * Resolves if the database can be read and writes succeed; rejects with the reason otherwise: `Unwritable` if only writes
   * fail or wait. Never waits long for the write lock.
   */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** What only reads. */
export type Reader = Pick<Store, "get" | "all">;

/** Writes have failed or waited for `forMs`. The message is a sentence without its full stop. */
export class Unwritable extends Error {
  readonly forMs: number;

  constructor(message: string, forMs: number, cause: unknown) {
    super(message, { cause });
    this.forMs = forMs;
  }
}

/** Thrown by an engine when a row violates a UNIQUE or PRIMARY KEY constraint. */
export class UniqueViolation extends Error {
  constructor(cause: unknown) {
    super("a row with this key exists", { cause });
  }
}
