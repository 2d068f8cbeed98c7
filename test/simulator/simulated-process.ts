// A process of the simulation: a server, or a terminal command. Its clock, store and outbound requests can be stopped at any
// point, fail, or end for ever in a crash.
import { randomOf } from "../support/long";
import { loadConfig } from "../support/config";
import { silentLog } from "../../src/base";
import type { Egress } from "../../src/egress";
import type { RuntimeParts } from "../../src/open-core";
import { createRuntime, type Runtime } from "../../src/runtime";
import { announceServer } from "../../src/serving";
import type { SqliteOptions, Store } from "../../src/store";
import type { Extensions } from "../../src/tools";
import { Life } from "./life";
import { SimulatedClock } from "./simulated-clock";
import type { StoreFault, Trouble } from "./simulated-database";
import { type GateKind, openSimulatedStore } from "./simulated-store";
import { clientOf } from "./postgres/client";
import type { Client } from "./postgres/parts";
import type { ScriptedServer } from "./postgres/server";
import { openScriptedStore } from "./postgres/store";
import type { VirtualTime } from "./virtual-time";

export interface Surroundings {
  folder: string;
  seed: number;
  time: VirtualTime;
  extensions: Extensions;
  /** Absent: the stores are files. */
  database?: ScriptedServer | undefined;
  /** Sends an outbound request of a process. */
  send(process: SimulatedProcess, life: Life, ...request: Parameters<Egress["fetch"]>): Promise<Response>;
  /** The answer has reached the runtime. `now`: by its clock. */
  received(life: Life, response: Response, now: number): void;
  /** A write has returned. */
  wrote(): void;
  /** Called whenever a process does something: the simulation has not settled yet. */
  active(): void;
  /** Resolves when nothing more happens by itself. */
  settled(): Promise<void>;
}

export class SimulatedProcess {
  readonly name: string;
  readonly address: string;
  readonly clock: SimulatedClock;
  readonly #index: number;
  readonly #surroundings: Surroundings;
  /** Of the present runtime. */
  trouble: Trouble;
  /** The latest time at which it was frozen, could not write, or was not running. */
  troubledAt = 0;
  life = new Life();
  runtime: Runtime | undefined;
  /** Database calls under way. */
  readonly busy = { calls: 0 };
  #endServing: (() => Promise<void>) | undefined;
  #opened = 0;
  #freeze: { at: GateKind; gates: number } | undefined;
  #isObserved = false;
  #delayedAt = -1;
  #client: Client | undefined;
  #thaw: (() => void)[] = [];
  #stores: Store[] = [];

  constructor(name: string, index: number, surroundings: Surroundings) {
    this.name = name;
    this.address = `http://127.0.0.1:${8000 + index}`;
    this.clock = new SimulatedClock(surroundings.time);
    this.#index = index;
    this.#surroundings = surroundings;
    this.trouble = this.#noTrouble();
    this.life.isAlive = false;
  }

  /** A server that has started and was not told to stop. */
  get isServing(): boolean {
    return this.runtime !== undefined && this.#endServing !== undefined;
  }

  get isFrozen(): boolean {
    return this.life.isFrozen;
  }

  /** The latest time at which it was frozen, or could not read. */
  get delayedAt(): number {
    const { database, time } = this.#surroundings;
    const isDelayed = database !== undefined && (database.isDown || this.trouble.fault !== undefined);
    return isDelayed ? time.now : this.#delayedAt;
  }

  /** Starts a server: the runtime, its workers, and its announcement. */
  async open(): Promise<void> {
    const life = this.#begin();
    await this.#within(life, async () => {
      const runtime = await this.#createRuntime(life);
      const worker = runtime.tools.startWorker();
      const stopping = new AbortController();
      const revoking = runtime.consent.revokeUnusedGrants(stopping.signal);
      const withdraw = await announceServer(runtime.core, this.address);
      this.#endServing = async () => {
        stopping.abort();
        await withdraw();
        await Promise.all([worker.stop(), revoking]);
      };
      this.runtime = runtime;
    });
    this.touchTrouble();
  }

  /** Runs a terminal command: a runtime that does one thing and ends. */
  async command(work: (runtime: Runtime) => Promise<void>): Promise<void> {
    const life = this.#begin();
    try {
      await this.#within(life, async () => {
        const runtime = await this.#createRuntime(life);
        this.runtime = runtime;
        await work(runtime).finally(() => {
          this.runtime = undefined;
          return runtime.close();
        });
      });
    } finally {
      if (life.isAlive) await this.crash();
    }
  }

  /** Stops as a server does that was told to. */
  async close(): Promise<void> {
    const { runtime, life } = this;
    this.runtime = undefined;
    this.#freeze = undefined;
    await this.#within(life, async () => {
      await this.#endServing?.();
      await runtime?.close();
    });
    if (life.isAlive) await this.crash();
  }

  /** Ends without finishing anything. */
  async crash(): Promise<void> {
    const { life, trouble } = this;
    this.runtime = undefined;
    this.#endServing = undefined;
    this.#freeze = undefined;
    this.#thaw = [];
    life.isAlive = false;
    life.isFrozen = false;
    life.endedAt = this.#surroundings.time.now;
    // Writes that wait for the lock end with their process.
    trouble.fault = "refused";
    this.#surroundings.database?.ended(life);
    this.#surroundings.time.end(life);
    this.touchTrouble();
    for (const store of this.#stores.splice(0)) await store.close();
  }

  /** Stops at one of its next calls of the database or the network, after it has passed this many gates of the kind. */
  freezeAfter(gates: number, at: GateKind): void {
    this.#freeze = { at, gates };
  }

  thaw(): void {
    this.#freeze = undefined;
    if (!this.isFrozen) return;
    this.life.isFrozen = false;
    this.#delayedAt = this.#surroundings.time.now;
    this.touchTrouble();
    for (const go of this.#thaw.splice(0)) go();
    this.#surroundings.database?.kick();
  }

  /** Every write fails from now on; undefined: they succeed again. */
  fail(fault: StoreFault | undefined): void {
    if (fault === undefined && this.trouble.fault === undefined) return;
    this.disturbed();
    this.trouble.fault = fault;
    if (this.#client !== undefined) this.#surroundings.database?.faultChanged(this.#client);
  }

  /** Reads without any disturbance. Undefined: it cannot now. */
  async observe<T>(read: (runtime: Runtime) => Promise<T>): Promise<{ value: T } | undefined> {
    const { runtime, life } = this;
    if (runtime === undefined || life.isFrozen) return undefined;
    this.#isObserved = true;
    try {
      const reading = this.#within(life, () => read(runtime)).then((value) => ({ value }));
      if (this.#surroundings.database === undefined) return await reading;
      // If its connections are lost, an answer takes time, which does not pass.
      const settled = this.#surroundings.settled().then(() => undefined);
      return await Promise.race([reading.catch(() => undefined), settled]);
    } finally {
      this.#isObserved = false;
    }
  }

  touchTrouble(): void {
    this.troubledAt = this.#surroundings.time.now;
  }

  /** With a database server, what disturbs writes disturbs reads as well. */
  disturbed(): void {
    this.touchTrouble();
    if (this.#surroundings.database !== undefined) this.#delayedAt = this.#surroundings.time.now;
  }

  #begin(): Life {
    this.life = new Life();
    this.trouble = this.#noTrouble();
    this.#opened++;
    return this.life;
  }

  #noTrouble(): Trouble {
    const { time } = this.#surroundings;
    return { fault: undefined, failingSince: undefined, now: () => time.now };
  }

  #within<T>(life: Life, work: () => T): T {
    return this.#surroundings.time.within(life, work);
  }

  #createRuntime(life: Life): Promise<Runtime> {
    const { folder, extensions } = this.#surroundings;
    const environment = { HOME: folder, RUNTIME_CHAT_API_URL: "https://platform.invalid/" };
    return createRuntime(loadConfig({ environment }), extensions, this.#parts(life));
  }

  #parts(life: Life): RuntimeParts {
    const { seed, database } = this.#surroundings;
    const { trouble } = this;
    const openStore = database === undefined ? undefined : this.#storesOn(database, life);
    const random = randomOf(seed * 1000 + this.#index * 100 + this.#opened);
    const host = {
      trouble,
      busy: this.busy,
      gate: (kind: GateKind) => this.#gate(life, kind),
      wrote: () => this.#surroundings.wrote(),
      sleep: (ms: number) => this.clock.sleep(life, ms),
    };
    return {
      clock: this.clock.of(life),
      random: (bytes) => Uint8Array.from({ length: bytes }, () => Math.floor(random() * 256)),
      log: silentLog,
      openStore:
        openStore ?? ((options) => openSimulatedStore(options, host, (store) => this.#stores.push(store))),
      egress: { fetch: (...request) => this.#fetch(life, request) },
    };
  }

  #storesOn(database: ScriptedServer, life: Life): (options: SqliteOptions) => Store {
    const { trouble, name } = this;
    this.#client = clientOf({
      name,
      life,
      trouble,
      isObserved: () => this.#isObserved,
      passGate: () => this.#passGate(life, "any"),
      disturbed: () => this.disturbed(),
    });
    const host = {
      client: this.#client,
      instance: `${name}-${this.#opened}`,
      gate: (kind: GateKind) => this.#gate(life, kind),
      wrote: () => this.#surroundings.wrote(),
    };
    return (options) => openScriptedStore(options, database, host);
  }

  // What is checked in the same turn is still true when the request leaves, so there is no gate before it.
  async #fetch(life: Life, request: Parameters<Egress["fetch"]>): Promise<Response> {
    await request[1]?.fence?.();
    if (!life.isAlive) return never();
    const response = await this.#surroundings
      .send(this, life, ...request)
      .finally(() => this.#gate(life, "any"));
    this.#surroundings.received(life, response, this.clock.now());
    return response;
  }

  async #gate(life: Life, kind: GateKind): Promise<void> {
    if (this.#isObserved) return;
    this.#passGate(life, kind);
    while (life.isAlive && life.isFrozen) await new Promise<void>((go) => this.#thaw.push(go));
    if (!life.isAlive) await never();
  }

  #passGate(life: Life, kind: GateKind): void {
    if (this.#isObserved) return;
    this.#surroundings.active();
    const freeze = life === this.life ? this.#freeze : undefined;
    if (freeze === undefined || (freeze.at !== "any" && freeze.at !== kind) || freeze.gates-- > 0) return;
    this.#freeze = undefined;
    life.isFrozen = true;
    this.#delayedAt = this.#surroundings.time.now;
    this.touchTrouble();
  }
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}
