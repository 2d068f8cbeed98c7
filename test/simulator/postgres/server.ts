// A scripted database server and the network to it. In each turn of the event loop some sessions get on, as the seed says.
import { unavailable } from "../../../src/errors";
import type { Connection, Connector } from "../../../src/store/postgres/connector";
import { randomOf } from "../../support/long";
import type { Violation } from "../invariants";
import type { Life } from "../life";
import type { TimerOwner, VirtualTime } from "../virtual-time";
import { ScriptedDatabase } from "./database";
import { terminated } from "./errors";
import type { DatabaseFate, DatabaseName } from "./fates";
import { Ledger } from "./ledger";
import type { Client, ServerParts } from "./parts";
import { Session } from "./session";

interface Connecting {
  readonly client: Client;
  readonly database: ScriptedDatabase;
  resolve(connection: Connection): void;
  reject(error: unknown): void;
}

export interface ServerSurroundings {
  readonly seed: number;
  readonly time: VirtualTime;
  /** Called in each turn: the simulation has not settled yet. */
  active(): void;
  found(violation: Violation): void;
  /** All processes lose their connections, or get new ones. */
  disturbed(): void;
}

/** Milliseconds that a turn takes, for what processes measure. */
const TURN_MS = 0.05;
const CONNECT_MS = 10_000;

export class ScriptedServer implements ServerParts {
  readonly ledger: Ledger;
  readonly #surroundings: ServerSurroundings;
  readonly #random: () => number;
  readonly #owner: TimerOwner = { isAlive: true, isFrozen: false };
  readonly #databases = new Map<string, ScriptedDatabase>();
  #sessions: Session[] = [];
  #connecting: Connecting[] = [];
  #turn = 0;
  #isRunning = false;
  #isDown = false;
  #nextSession = 1;

  constructor(surroundings: ServerSurroundings) {
    this.#surroundings = surroundings;
    this.#random = randomOf(surroundings.seed + 1_000_003);
    this.ledger = new Ledger(surroundings.found);
  }

  get isDown(): boolean {
    return this.#isDown;
  }

  /** `file`: of the database. */
  database(file: string): ScriptedDatabase {
    const known = this.#databases.get(file);
    if (known !== undefined) return known;
    const made = new ScriptedDatabase(file, this.ledger, (limit) => this.below(limit));
    this.#databases.set(file, made);
    return made;
  }

  connector(client: Client, database: ScriptedDatabase): Connector {
    return {
      shown: "the scripted database",
      connect: (signal) => this.#connect(client, database, signal),
    };
  }

  /** What becomes of the next transaction or answer. */
  script(name: DatabaseName, fate: DatabaseFate): void {
    for (const database of this.#databases.values()) if (database.name === name) database.fates.push(fate);
  }

  behave(): void {
    for (const { fates } of this.#databases.values()) fates.clear();
  }

  /** Loses all connections, and accepts none for a while. */
  restart(downMs: number): void {
    this.#surroundings.disturbed();
    for (const session of this.#sessions) session.breakOff();
    this.#isDown = downMs > 0;
    if (downMs > 0) this.after(downMs, () => this.#up());
    this.kick();
  }

  /** A process gets a fault, or loses it. */
  faultChanged(client: Client): void {
    for (const session of this.#sessions) {
      if (session.client !== client) continue;
      if (client.fault === "refused") session.breakOff();
      else session.watchSilence();
    }
    for (const database of this.#databases.values()) database.giveLock();
    this.kick();
  }

  /** A process ends. What it has sent may still arrive. */
  ended(life: Life): void {
    for (const { client, wire } of this.#sessions) if (client.life === life) wire.close();
    this.#connecting = this.#connecting.filter(({ client }) => client.life !== life);
  }

  /** Ends the transactions that are open, as an administrator does who changes something. */
  endTransactions(): void {
    for (const database of this.#databases.values()) database.endReads();
    for (const session of this.#sessions) if (session.isInTransaction) session.end(terminated);
  }

  /** The machine stops. The databases are opened again when they are used. */
  close(): void {
    for (const session of this.#sessions) session.end(terminated);
    for (const database of this.#databases.values()) database.close();
    this.#databases.clear();
    this.#sessions = [];
  }

  below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  of<T>(values: readonly T[]): T {
    const value = values[this.below(values.length)];
    if (value === undefined) throw new Error("nothing to choose from");
    return value;
  }

  now(): number {
    return this.#surroundings.time.now;
  }

  after(ms: number, callback: () => void): () => void {
    return this.#surroundings.time.after(ms, this.#owner, callback);
  }

  turn(): number {
    return this.#turn;
  }

  found(invariant: string, detail: string): void {
    this.#surroundings.found({ invariant, detail });
  }

  works(session: number): boolean {
    return this.#sessions.some(({ id, isWorking }) => id === session && isWorking);
  }

  endIdle(session: number): boolean {
    const found = this.#sessions.find(({ id, isInTransaction, isWorking }) => {
      return id === session && isInTransaction && !isWorking;
    });
    found?.end(terminated);
    return found !== undefined;
  }

  /** A notification is only a hint: it may come late, or never. */
  notify(sessions: readonly Session[]): void {
    for (const session of sessions) {
      const luck = this.below(10);
      if (luck === 0) continue;
      if (luck === 1) this.after(this.of([500, 3000]), () => session.notified());
      else session.notified();
    }
  }

  kick(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#surroundings.time.within(this.#owner, () => setImmediate(() => this.#run()));
  }

  #run(): void {
    this.#isRunning = false;
    this.#turn++;
    this.#surroundings.active();
    this.#surroundings.time.spend(TURN_MS);
    for (const connecting of this.#connecting) this.#accept(connecting);
    const sessions = this.#sessions;
    const first = this.below(sessions.length);
    let isReady = false;
    for (let index = 0; index < sessions.length; index++) {
      const session = sessions[(first + index) % sessions.length];
      if (session === undefined || !session.wire.isReady(this.#turn)) continue;
      if (this.#random() < session.wire.speed) session.wire.advance(this.#turn);
    }
    this.#sessions = this.#sessions.filter(({ wire }) => !wire.isGone);
    // What was sent in this turn arrives in a later one.
    isReady = this.#sessions.some(({ wire }) => wire.isReady(this.#turn + 1));
    if (isReady) this.kick();
  }

  #connect(client: Client, database: ScriptedDatabase, signal: AbortSignal | undefined): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const drop = (): void => {
        this.#connecting = this.#connecting.filter((other) => other !== connecting);
        cancel();
      };
      const cancel = this.after(CONNECT_MS, () => connecting.reject(unreachable()));
      const connecting: Connecting = {
        client,
        database,
        resolve: (connection) => {
          drop();
          resolve(connection);
        },
        reject: (error) => {
          drop();
          reject(error);
        },
      };
      signal?.addEventListener("abort", () => connecting.reject(signal.reason));
      this.#connecting.push(connecting);
      if (signal?.aborted === true) connecting.reject(signal.reason);
      this.kick();
    });
  }

  #accept({ client, database, resolve, reject }: Connecting): void {
    if (!client.life.isAlive || client.life.isFrozen || client.fault === "silent") return;
    if (client.fault === "refused" || this.#isDown) return reject(unreachable());
    const session = new Session(this.#nextSession++, client, database, this);
    this.#sessions.push(session);
    resolve(session.wire.connection);
  }

  #up(): void {
    this.#isDown = false;
    this.#surroundings.disturbed();
    this.kick();
  }
}

function unreachable(): Error {
  return unavailable("The scripted database cannot be reached.");
}
