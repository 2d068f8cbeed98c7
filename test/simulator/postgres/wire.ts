// A connection as its two ends see it: what was sent waits in the network until the server gets to it, and so do answers.
import type { ReservedSQL } from "bun";
import type { SqlValue } from "../../../src/store";
import type { Connection } from "../../../src/store/postgres/connector";
import { ConnectionClosed } from "./errors";
import type { WriteRecord } from "./ledger";
import type { Client, ServerParts } from "./parts";
import { type Command, commandOf, type Rows } from "./statements";

export interface Request {
  readonly text: string;
  readonly command: Command;
  readonly params: readonly SqlValue[];
  /** Sent by a process that was frozen: it leaves when the process goes on. */
  readonly isLate: boolean;
  /** The write of whose body it is a statement. */
  readonly record: WriteRecord | undefined;
  settle(answer: Rows & { command: string }): void;
  fail(error: Error): void;
}

interface Outgoing {
  /** The turn in which it was sent. It arrives later. */
  readonly turn: number;
  isDelayed?: boolean;
  arrive(): void;
}

/** The server's end. */
export interface Backend {
  /** It gets to the next request. */
  readonly isFree: boolean;
  readonly isOver: boolean;
  serve(request: Request): void;
  /** The client has closed the connection. */
  hungUp(): void;
  listen(channel: string, heard: () => void): void;
  /** Called when it may have begun to wait for the client. */
  watchSilence(): void;
  /** The write of whose body this is a statement. Called when it is sent. */
  recordOf(text: string): WriteRecord | undefined;
}

const SLOW_MS = 400;

export class Wire {
  readonly client: Client;
  readonly connection: Connection;
  /** How often it gets on in a turn, from 0 to 1. */
  readonly speed: number;
  readonly #server: ServerParts;
  readonly #backend: Backend;
  readonly #ended = Promise.withResolvers<void>();
  #requests: Request[] = [];
  #outgoing: Outgoing[] = [];
  #heldRequests = 0;
  #heldAnswers = 0;
  #isSilent = false;
  #isClosed = false;

  constructor(client: Client, backend: Backend, server: ServerParts) {
    this.client = client;
    this.#backend = backend;
    this.#server = server;
    this.speed = server.of([1, 1, 0.5, 0.2]);
    const unsafe = (text: string, params: readonly SqlValue[] = []): unknown => ({
      execute: () => this.#send(text, params),
    });
    this.connection = {
      // The engine calls nothing else of it.
      sql: { unsafe } as unknown as ReservedSQL,
      host: "database:5432",
      ended: this.#ended.promise,
      listen: async (channel, heard) => backend.listen(channel, heard),
      close: async () => this.close(),
    };
  }

  /** Packets do not arrive, in either direction. */
  get isSilent(): boolean {
    return this.#isSilent || this.client.fault === "silent";
  }

  /** The server waits for the client. */
  get isIdle(): boolean {
    const [next] = this.#requests;
    return this.#heldRequests === 0 && (next === undefined || this.isSilent || this.#isUnsent(next));
  }

  /** Neither end has anything left to do. */
  get isGone(): boolean {
    const isForgotten = this.#isClosed || !this.client.life.isAlive || this.isSilent;
    return this.#backend.isOver && (isForgotten || this.#outgoing.length === 0);
  }

  /** Whether it gets on in this turn without anything else happening. */
  isReady(turn: number): boolean {
    return this.#mayServe() || this.#mayDeliver(turn);
  }

  advance(turn: number): void {
    if (this.#mayDeliver(turn) && this.client.passes()) this.#deliver();
    if (!this.#mayServe()) return;
    const request = this.#requests.shift();
    if (request === undefined) this.#backend.hungUp();
    else this.#backend.serve(request);
  }

  /** The client has closed the connection, or has ended. What it has sent may still arrive. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#outgoing = [];
    const kept = this.#server.below(this.#requests.length + 1);
    this.#requests = this.#requests.filter(({ isLate }, index) => index < kept && !isLate);
    this.#ended.resolve();
    this.#server.kick();
  }

  /** The server sends something. */
  tell(arrive: () => void): void {
    if (!this.#isClosed) this.#outgoing.push({ turn: this.#server.turn(), arrive });
    this.#server.kick();
  }

  /** The server has ended it, or it broke. `unanswered`: a request that the server has begun with. */
  end(reason: () => Error, unanswered: readonly Request[] = []): void {
    const waiting = [...unanswered, ...this.#requests];
    this.#requests = [];
    this.tell(() => {
      for (const { fail } of waiting) fail(reason());
      this.#ended.resolve();
    });
  }

  /** Its client learns that it broke, and the server does not know yet: it still gets to the request. */
  breakBefore(request: Request, ms: number): void {
    this.end(() => new ConnectionClosed(), [request]);
    this.#requests = [request];
    this.holdRequests(ms);
  }

  /** Answers that are on their way do not arrive. */
  loseAnswers(): void {
    this.#outgoing = [];
  }

  /** The request comes again. */
  putBack(request: Request): void {
    this.#requests.unshift(request);
  }

  beSilent(): void {
    this.#isSilent = true;
  }

  holdRequests(ms: number): void {
    this.#heldRequests++;
    this.#server.after(ms, () => {
      this.#heldRequests--;
      this.#backend.watchSilence();
      this.#server.kick();
    });
  }

  holdAnswers(ms: number): void {
    this.#heldAnswers++;
    this.#server.after(ms, () => {
      this.#heldAnswers--;
      this.#server.kick();
    });
  }

  #send(text: string, params: readonly SqlValue[]): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const request: Request = {
      text,
      command: commandOf(text),
      params,
      isLate: this.client.life.isFrozen,
      record: this.#backend.recordOf(text),
      settle: ({ rows, count, command }) => resolve(Object.assign([...rows], { count, command })),
      fail: reject,
    };
    if (this.#backend.isOver) this.tell(() => reject(new ConnectionClosed()));
    else if (!this.#isClosed) this.#requests.push(request);
    this.#server.kick();
    return promise;
  }

  #mayServe(): boolean {
    if (this.#backend.isOver || !this.#backend.isFree || this.#heldRequests > 0 || this.isSilent)
      return false;
    const [next] = this.#requests;
    if (next === undefined) return this.#isClosed;
    return !this.#isUnsent(next);
  }

  #isUnsent({ isLate }: Request): boolean {
    return isLate && this.client.life.isFrozen;
  }

  #mayDeliver(turn: number): boolean {
    const [next] = this.#outgoing;
    if (next === undefined || next.turn >= turn || this.#heldAnswers > 0 || this.isSilent) return false;
    return this.client.life.isAlive && !this.client.life.isFrozen;
  }

  #deliver(): void {
    const [next] = this.#outgoing;
    if (next === undefined) return;
    if (this.client.fault === "slow" && next.isDelayed !== true && this.#server.below(4) === 0) {
      next.isDelayed = true;
      return this.holdAnswers(SLOW_MS);
    }
    this.#outgoing.shift();
    next.arrive();
  }
}
