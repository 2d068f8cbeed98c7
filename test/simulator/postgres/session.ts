// A session of the scripted server: its transaction, its limits, and what happens to it.
import type { ScriptedDatabase } from "./database";
import { ConnectionClosed, ServerError, serverError, terminated } from "./errors";
import { COMMIT_FATES, type DatabaseFate, TRANSACTION_FATES } from "./fates";
import type { WriteRecord } from "./ledger";
import type { Client, ServerParts } from "./parts";
import { type Command, type Rows, runStatement } from "./statements";
import { type Backend, type Request, Wire } from "./wire";

type Result = Rows & { command: string };

/** The answer comes with the lock. */
const WAITS = Symbol("waits");
const NOTHING: Rows = { rows: [], count: 0 };
/** How long a session counts as working after a statement. */
const LATELY_MS = 1000;
const LOCK_LIMIT = /'lock_timeout', '(\d+)'/;
const IDLE_LIMIT = /'idle_in_transaction_session_timeout', '(\d+)'/;
/** The row of a writer is nothing of a write. */
const OF_WRITER = /\b(?:INTO|FROM) main\.writers\b/;
const SAVEPOINT = /\bSAVEPOINT\b/;

export class Session implements Backend {
  readonly id: number;
  readonly client: Client;
  readonly wire: Wire;
  readonly database: ScriptedDatabase;
  readonly #server: ServerParts;
  #state: "idle" | "open" | "failed" = "idle";
  #changedAt = 0;
  #lockMs = Infinity;
  #idleMs = Infinity;
  #cancelLimit: (() => void) | undefined;
  /** The request that waits for the lock. */
  #locking: Request | undefined;
  #fate: DatabaseFate | undefined;
  /** The number of statements before the fate. */
  #before = 0;
  #isOver = false;
  #heard: (() => void) | undefined;

  constructor(id: number, client: Client, database: ScriptedDatabase, server: ServerParts) {
    this.id = id;
    this.client = client;
    this.database = database;
    this.#server = server;
    this.wire = new Wire(client, this, server);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get isFree(): boolean {
    return this.#locking === undefined;
  }

  get mayLock(): boolean {
    return this.client.fault !== "locked";
  }

  get isInTransaction(): boolean {
    return this.#state !== "idle";
  }

  /** The server works on what it was asked, or has until lately. */
  get isWorking(): boolean {
    const isActive = this.#locking !== undefined || !this.wire.isIdle;
    return !this.#isOver && (isActive || this.#server.now() - this.#changedAt < LATELY_MS);
  }

  serve(request: Request): void {
    this.#limit(undefined);
    this.#changedAt = this.#server.now();
    if (!this.#meetsFate(request)) this.#run(request);
    this.watchSilence();
  }

  hungUp(): void {
    this.end(() => new ConnectionClosed());
  }

  /** The server ends it, or the connection breaks and the server knows. */
  end(reason: () => Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const locking = this.#locking;
    this.#rollBack();
    this.database.listeners.delete(this);
    this.wire.end(reason, locking === undefined ? [] : [locking]);
  }

  /** The server stops at once. */
  breakOff(): void {
    if (this.#server.below(2) === 0) this.wire.loseAnswers();
    this.end(this.#server.below(2) === 0 ? terminated : () => new ConnectionClosed());
  }

  /** It has got the lock that it waited for. */
  locked(): void {
    const request = this.#locking;
    this.#locking = undefined;
    this.#limit(undefined);
    this.#begun();
    if (request !== undefined) this.wire.tell(() => request.settle({ ...NOTHING, command: "SELECT" }));
    this.watchSilence();
  }

  listen(channel: string, heard: () => void): void {
    this.#heard = heard;
    this.database.listeners.set(this, channel);
    this.notified();
  }

  recordOf(text: string): WriteRecord | undefined {
    // A body that was left without an answer is not one of the next transaction.
    if (text.startsWith("BEGIN")) this.database.running.delete(this.client);
    return this.database.running.get(this.client);
  }

  notified(): void {
    this.wire.tell(() => this.#heard?.());
  }

  #run(request: Request): void {
    try {
      const result = this.#execute(request);
      if (result !== WAITS) return this.#answer(request, result);
      this.#locking = request;
      if (this.#lockMs < Infinity) this.#limit(this.#lockMs, () => this.#waitedTooLong(request));
    } catch (error) {
      if (!(error instanceof ServerError)) throw error;
      this.#fail(request, error);
    }
  }

  #fail(request: Request, error: ServerError): void {
    if (this.#state === "open") this.#state = "failed";
    this.wire.tell(() => request.fail(error));
  }

  #execute({ command, params, text, record }: Request): Result | typeof WAITS {
    const done = (rows: Rows = NOTHING, name = "SELECT"): Result => ({ ...rows, command: name });
    const isFailed = this.#state === "failed";
    if (command.does === "begin") {
      this.#state = "open";
      return done(NOTHING, "BEGIN");
    }
    if (command.does === "roll back" || (command.does === "commit" && isFailed)) {
      this.#rollBack();
      return done(NOTHING, "ROLLBACK");
    }
    if (command.does === "commit") return done(NOTHING, "COMMIT");
    const isBack = command.does === "write" && command.text.startsWith("ROLLBACK TO ");
    if (isFailed && !isBack) throw serverError("25P02");
    if (isBack) this.#state = "open";
    if (record !== undefined && this.#isHolder) this.database.began(record);
    if (command.does === "lock") {
      if (!this.database.lock(this)) return WAITS;
      this.#begun();
    } else if (command.does === "settings") {
      this.#lockMs = Number(LOCK_LIMIT.exec(text)?.[1] ?? Infinity);
      this.#idleMs = Number(IDLE_LIMIT.exec(text)?.[1] ?? Infinity);
      return done({ rows: [{ session: this.id }], count: 1 });
    } else if (command.does === "notify") this.database.notify(String(params[1]));
    else if (command.does === "works") return done(rowsIf(this.#server.works(Number(params[0]))));
    else if (command.does === "end") return done(rowsIf(this.#server.endIdle(Number(params[0]))));
    else if (command.does === "read") return done(runStatement(this.#connection, command, params));
    else if (command.does === "write") return done(this.#write(command, params), "UPDATE");
    return done();
  }

  get #isHolder(): boolean {
    return this.database.holder === this;
  }

  /** Its own transaction sees what it has written. */
  get #connection() {
    return this.#isHolder ? this.database.writer : this.database.reader;
  }

  #write(command: Command & { does: "read" | "write" }, params: Request["params"]): Rows {
    const isSavepoint = SAVEPOINT.test(command.text);
    if (!this.#isHolder) this.#server.found("oneWriter", `${this.client.name} wrote without the lock`);
    if (!isSavepoint && this.client.fault === "full") throw serverError("53100");
    const rows = runStatement(this.database.writer, command, params);
    if (!isSavepoint && !OF_WRITER.test(command.text)) this.database.wrote();
    return rows;
  }

  #answer(request: Request, result: Result): void {
    if (request.command.does !== "commit" || result.command !== "COMMIT")
      return this.wire.tell(() => request.settle(result));
    const fate = this.#fate;
    this.#fate = undefined;
    this.#state = "idle";
    const { generations, told } = this.#isHolder
      ? this.database.commit()
      : { generations: new Map<string, number>(), told: [] };
    if (this.database.name === "records") this.client.committed();
    this.#server.notify(told);
    if (fate === "lose answer") return this.end(() => new ConnectionClosed());
    if (fate === "silent answer") this.wire.beSilent();
    if (fate === "late answer") this.wire.holdAnswers(this.#server.of([1000, 4000, 13_000]));
    this.wire.tell(() => {
      this.database.acknowledge(generations);
      request.settle(result);
    });
  }

  /** A transaction has the lock. */
  #begun(): void {
    this.#fate = this.database.fates.take([...TRANSACTION_FATES, ...COMMIT_FATES]);
    this.#before = this.#server.below(8);
    if (this.#fate !== undefined) this.client.disturbed();
  }

  /** Whether something happens in place of the request. */
  #meetsFate(request: Request): boolean {
    if (request.command.does === "read" && !this.#isHolder) return this.#readMeetsFate(request);
    const fate = this.#fate;
    const isCommit = request.command.does === "commit";
    if (fate === undefined || !this.#isHolder) return false;
    const isOfCommit = COMMIT_FATES.some((one) => one === fate);
    if (isOfCommit ? !isCommit : !isCommit && this.#before-- > 0) return false;
    // These come after it.
    if (fate === "lose answer" || fate === "silent answer" || fate === "late answer") return false;
    this.#fate = undefined;
    this.client.disturbed();
    if (fate === "conflict" || fate === "deadlock") {
      if (isCommit) this.#rollBack();
      this.#fail(request, serverError(fate === "conflict" ? "40001" : "40P01"));
    } else if (fate === "late and break") this.wire.breakBefore(request, this.#server.of([500, 4000]));
    else {
      this.wire.putBack(request);
      if (fate === "break") this.end(() => new ConnectionClosed());
      else if (fate === "silent") this.wire.beSilent();
      else this.wire.holdRequests(this.#server.of([500, 4000]));
    }
    return true;
  }

  #readMeetsFate(request: Request): boolean {
    if (this.client.isObserved) return false;
    const fate = this.database.fates.take(["late read", "break read", "silent read"]);
    if (fate === undefined) return false;
    this.client.disturbed();
    if (fate === "late read") this.wire.holdAnswers(this.#server.of([300, 2000]));
    else if (fate === "silent read") this.wire.beSilent();
    else {
      this.wire.putBack(request);
      this.end(() => new ConnectionClosed());
    }
    return fate === "break read";
  }

  #waitedTooLong(request: Request): void {
    this.database.stopWaiting(this);
    this.#locking = undefined;
    this.#fail(request, serverError("55P03"));
    this.watchSilence();
  }

  #rollBack(): void {
    this.database.stopWaiting(this);
    this.#locking = undefined;
    this.#limit(undefined);
    this.#state = "idle";
    this.#fate = undefined;
    if (this.#isHolder) this.database.rollBack();
  }

  /** A client that says nothing inside of a transaction loses its session. Called when it may have begun to. */
  watchSilence(): void {
    if (this.#isOver || this.#state === "idle" || this.#locking !== undefined) return;
    if (this.wire.isIdle && this.#idleMs < Infinity && this.#cancelLimit === undefined)
      this.#limit(this.#idleMs, () => this.end(() => new ServerError("25P03", "FATAL")));
  }

  #limit(ms: number | undefined, reached: () => void = () => undefined): void {
    this.#cancelLimit?.();
    this.#cancelLimit = ms === undefined ? undefined : this.#server.after(ms, reached);
  }
}

function rowsIf(is: boolean): Rows {
  return is ? { rows: [{ works: 1 }], count: 1 } : { rows: [], count: 0 };
}
