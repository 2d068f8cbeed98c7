// The PostgreSQL engine: one database for many servers. Reads of a turn are sent as they come, on one connection; the
// generations travel with the first of them. Writes of a turn share a commit.
import { RuntimeError } from "../../errors";
import type { Migration } from "../migrate";
import { type Awaitable, type Kind, type Query, type SqlValue, type Store } from "../port";
import { type Transaction, type Wait } from "../port";
import { CountedUse } from "../use";
import { Watch } from "../watch";
import { WriteHealth } from "../write-health";
import type { Connector } from "./connector";
import { type Dialect, dialectOf } from "./dialect";
import { closedError, isLost, lost, OtherVersion, stateOf, translateError } from "./failures";
import { Generations, GENERATIONS } from "./generations";
import { Listener } from "./listener";
import { migratePostgres, newestOf, refuseNewerSchema, schemaVersion } from "./migrations";
import { Pool } from "./pool";
import { Reads, withinLimit } from "./reads";
import { RequestReads } from "./request-reads";
import { tablesOf } from "./schema";
import { testWrite } from "./test-write";
import { type Pending, Writer } from "./writer";

export interface PostgresOptions {
  connector: Connector;
  /** Of the role that may make and change tables; by default that of `connector`. */
  migrator?: Connector | undefined;
  /** For `LISTEN`, which transaction poolers do not carry. */
  listener?: Connector | undefined;
  /** The PostgreSQL schema that has the tables. */
  schema: string;
  migrations: readonly Migration[];
  /** A random name of this process. */
  instance: string;
  /** `normal`: the last commits may be lost when the database's machine loses power. */
  durability?: "full" | "normal";
  /** At most, without the listener; three or more. Default 8. */
  connections?: number;
  /** How long a read and a write are tried, ms. */
  limitMs?: number;
}

const LIMIT_MS = 10_000;
const CHECK_MS = 1500;
const POLL_MS = 1000;
/** While a write gets no answer, connections for reads are asked that were not used for so long. */
const PING_MS = 250;
const READS = /^\s*(?:SELECT|WITH)\b/;

export interface PostgresStore extends Store {
  /** Resolves when the tables can be used. Throws `configuration` or `unavailable` with the reason. */
  ready(): Promise<void>;
}

/** Connects and migrates with the first use. */
export function openPostgres(options: PostgresOptions): PostgresStore {
  return new Engine(options);
}

class Engine implements PostgresStore {
  readonly use: CountedUse;
  readonly #options: PostgresOptions;
  readonly #version: number;
  readonly #dialect: Dialect;
  readonly #reads: Reads;
  readonly #writer: Writer;
  readonly #requestReads = new RequestReads();
  readonly #watch = new Watch((kind) => this.generation(kind));
  readonly #writeHealth = new WriteHealth();
  readonly #limitMs: number;
  #opening: Promise<void> | undefined;
  #isOpen = false;
  #listener: Listener | undefined;
  /** That of the current turn. */
  #asked: Promise<ReadonlyMap<string, number>> | undefined;
  readonly #generations = new Generations();
  /** Writes that wait until the database is open. */
  #entering = 0;
  #closed = false;

  constructor(options: PostgresOptions) {
    const { connector, schema, migrations, instance, durability = "full", connections = 8 } = options;
    this.#options = options;
    this.#limitMs = options.limitMs ?? LIMIT_MS;
    this.#version = newestOf(migrations);
    const tables = new Set([...tablesOf(migrations), "writers"]);
    this.#dialect = dialectOf(schema, (name) => tables.has(name));
    this.#reads = new Reads(new Pool(connector, Math.max(1, connections - 2)));
    this.#writer = new Writer({
      connector,
      schema,
      instance,
      durability,
      version: this.#version,
      limitMs: this.#limitMs,
      translate: (text) => this.#dialect.translate(text),
      committed: (group, begun, touched) => this.#committed(group, begun, touched),
      failed: (error) => this.#failed(error),
      silent: () => this.#reads.ping(PING_MS),
    });
    this.use = new CountedUse(() => this.#writer.waiting);
  }

  ready(): Promise<void> {
    this.#opening ??= this.#open().catch((error: unknown) => {
      // The next use tries again.
      this.#opening = undefined;
      throw translateError(error);
    });
    return this.#opening;
  }

  async get<Row>(statement: Query<Row>, ...params: SqlValue[]): Promise<Row | undefined> {
    // The type of the query determines the rows.
    return (await this.#read(statement.text, params))[0] as Row | undefined;
  }

  async all<Row>(statement: Query<Row>, ...params: SqlValue[]): Promise<Row[]> {
    return (await this.#read(statement.text, params)) as Row[];
  }

  async write<T>(body: () => Transaction<T>): Promise<T> {
    if (this.#closed) throw closedError();
    if (!this.#isOpen) {
      this.#entering++;
      await this.#opened().finally(() => this.#entering--);
    }
    return new Promise<T>((resolve, reject) => {
      // Each is resolved with the result of its own body.
      const settle = resolve as (value: unknown) => void;
      this.#writer.push({ body, resolve: settle, reject, since: performance.now() });
    });
  }

  async reserve(): Promise<void> {
    // The room is the database's. What can be known is whether it takes writes now.
    await this.#writeHealth.check(() => this.#testWrite());
  }

  request<T>(work: () => T): T {
    return this.#requestReads.within(work);
  }

  generation(kind: Kind): Awaitable<number> {
    const generations = this.#requestReads.get(() => {
      if (this.#asked !== undefined) return this.#asked;
      setImmediate(this.#endTurn);
      return (this.#asked = this.#readGenerations());
    });
    if (generations instanceof Promise) return generations.then((known) => known.get(kind) ?? 0);
    return generations.get(kind) ?? 0;
  }

  async changed(kind: Kind, since: number, wait: Wait): Promise<void> {
    try {
      await this.#watch.changed(kind, since, { ...wait, pollMs: POLL_MS });
    } catch (error) {
      // Closing wakes those that wait.
      if (!this.#closed) throw error;
    }
  }

  endReads(): void {
    this.#endTurn();
    this.#requestReads.changed();
  }

  readonly #endTurn = (): void => {
    this.#asked = undefined;
    this.#reads.endTurn();
  };

  async check(): Promise<void> {
    await withinLimit(this.#readGenerations(), CHECK_MS);
    if (this.#writer.oldest !== undefined) this.#writeHealth.waits(this.#writer.oldest);
    await this.#writeHealth.check(() => this.#testWrite());
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#watch.close();
    await this.#opening?.catch(() => undefined);
    while (this.#entering > 0) await Bun.sleep(1);
    await this.#listener?.close();
    await this.#writer.close();
    await this.#reads.close();
  }

  async #open(): Promise<void> {
    const { connector, migrator = connector, listener = connector, schema, migrations } = this.#options;
    const installation = { schema, migrations, dialect: this.#dialect };
    const found = await schemaVersion(connector, installation);
    refuseNewerSchema(found, this.#version, connector.shown);
    if (found < this.#version) await migratePostgres(migrator, installation);
    this.#listener = new Listener(listener, schema, () => {
      this.#requestReads.changed();
      void this.#watch.check();
    });
    this.#isOpen = true;
  }

  async #opened(): Promise<void> {
    if (this.#closed) throw closedError();
    await this.ready().catch((error: unknown) => {
      if (!(error instanceof RuntimeError) || error.name !== "unavailable") throw error;
      // The name of a host is not for callers; what the server itself has said is.
      throw stateOf(error.cause) === "" || isLost(error.cause) ? lost(error) : error;
    });
  }

  async #readGenerations(): Promise<ReadonlyMap<string, number>> {
    const [row] = await this.#read(GENERATIONS, []);
    const values = this.#generations.of(String(row?.["generations"]));
    const version = values.get("schema");
    if (version !== this.#version) throw new OtherVersion(Number(version), this.#version).reason;
    return values;
  }

  async #read(text: string, params: readonly SqlValue[]): Promise<Record<string, unknown>[]> {
    if (this.#closed) throw closedError();
    if (!READS.test(text)) throw new Error(`only a transaction may run ${text.slice(0, 40)}`);
    if (!this.#isOpen) await this.#opened();
    const started = performance.now();
    const rows = await this.#reads.read(this.#dialect.translate(text), params);
    this.use.didRead(performance.now() - started);
    return rows;
  }

  #committed(group: readonly Pending[], begun: number, touched: ReadonlySet<SqlValue>): void {
    this.#writeHealth.succeeded();
    this.use.wrote(group, begun);
    // What was read before is older than the commit: a caller must read its own write.
    this.endReads();
    this.#watch.wake(touched);
  }

  #failed(error: unknown): void {
    if (isLost(error)) this.#reads.ping();
    if (stateOf(error) === "57014" || stateOf(error) === "55P03")
      this.#writeHealth.waits(this.#writer.oldest ?? performance.now());
    else this.#writeHealth.failed(error);
  }

  async #testWrite(): Promise<void> {
    await this.write(testWrite());
  }
}
