// A process of the simulation: a runtime whose clock, store and outbound requests can be stopped at any point, fail, or end
// for ever in a crash.
import { randomOf } from "../support/long";
import { loadConfig } from "../support/config";
import { type Clock, silentLog } from "../../src/base";
import type { Egress } from "../../src/egress";
import { unavailable } from "../../src/errors";
import type { RuntimeParts } from "../../src/open-core";
import { createRuntime, type Runtime } from "../../src/runtime";
import { openSqlite, type SqliteOptions, type Store } from "../../src/store";
import type { Extensions } from "../../src/tools";
import type { VirtualTime } from "./virtual-time";

/** `full`: as a full disk does; `locked`: as a write lock that another program holds for too long. */
export type StoreFault = "full" | "locked";

/** The runtime from its start to its end. What it still waits for after a crash never returns. */
export class Life {
  isAlive = true;
  endedAt: number | undefined;
}

export interface Surroundings {
  folder: string;
  seed: number;
  time: VirtualTime;
  extensions: Extensions;
  /** Sends an outbound request of a process. */
  send(process: SimulatedProcess, life: Life, ...request: Parameters<Egress["fetch"]>): Promise<Response>;
  /** The answer has reached the runtime. */
  received(life: Life, response: Response): void;
  /** Called whenever a process does something: the simulation has not settled yet. */
  active(): void;
}

const START = Date.UTC(2030, 0, 1);
const GATED = new Set<string | symbol>(["get", "all", "write", "changed", "check"]);

export class SimulatedProcess {
  readonly name: string;
  readonly #index: number;
  readonly #surroundings: Surroundings;
  isFrozen = false;
  fault: StoreFault | undefined;
  /** The latest time at which it was frozen, could not write, or was not running. */
  troubledAt = 0;
  life = new Life();
  runtime: Runtime | undefined;
  /** Database calls under way. */
  busy = 0;
  #worker: { stop(): Promise<void> } | undefined;
  #aheadMs = 0;
  #opened = 0;
  #freezeIn: number | undefined;
  #isObserved = false;
  #thaw: (() => void)[] = [];
  #stores: Store[] = [];

  constructor(index: number, surroundings: Surroundings) {
    this.#index = index;
    this.#surroundings = surroundings;
    this.name = `P${index}`;
  }

  /** Opens the runtime and its worker for scheduled runs. */
  async open(): Promise<void> {
    const { time, folder, extensions } = this.#surroundings;
    const life = new Life();
    this.life = life;
    this.fault = undefined;
    this.#opened++;
    this.#stores = [];
    const environment = {
      HOME: folder,
      RUNTIME_CHAT_API_URL: "https://platform.invalid/",
    };
    await time.within(this, async () => {
      const runtime = await createRuntime(loadConfig({ environment }), extensions, this.#parts(life));
      this.#worker = runtime.tools.startWorker();
      this.runtime = runtime;
    });
    this.trouble();
  }

  /** Stops as a server does that was told to. */
  async close(): Promise<void> {
    const { runtime, life } = this;
    this.runtime = undefined;
    this.#freezeIn = undefined;
    await this.#worker?.stop();
    await runtime?.close();
    if (life.isAlive) this.#end();
  }

  /** Ends without finishing anything. */
  async crash(): Promise<void> {
    this.runtime = undefined;
    this.#end();
    for (const store of this.#stores) await store.close();
  }

  #end(): void {
    this.life.isAlive = false;
    this.life.endedAt = this.#surroundings.time.now;
    this.isFrozen = false;
    this.#freezeIn = undefined;
    this.#thaw = [];
    this.#surroundings.time.cancelAll(this);
    this.trouble();
  }

  /** Stops at the given one of its next calls of the database or the network, before or after the call. */
  freezeAfter(gates: number): void {
    this.#freezeIn = gates;
  }

  /** Reads without any disturbance. */
  async observe<T>(read: (runtime: Runtime) => Promise<T>): Promise<T | undefined> {
    if (this.runtime === undefined || this.isFrozen) return undefined;
    this.#isObserved = true;
    try {
      const { runtime } = this;
      return await this.#surroundings.time.within(this, () => read(runtime));
    } finally {
      this.#isObserved = false;
    }
  }

  thaw(): void {
    this.#freezeIn = undefined;
    if (!this.isFrozen) return;
    this.isFrozen = false;
    this.trouble();
    for (const go of this.#thaw.splice(0)) go();
  }

  /** Moves the wall clock alone. */
  jump(ms: number): void {
    this.#aheadMs += ms;
  }

  trouble(): void {
    this.troubledAt = this.#surroundings.time.now;
  }

  #parts(life: Life): RuntimeParts {
    const { time, seed } = this.#surroundings;
    const random = randomOf(seed * 1000 + this.#index * 100 + this.#opened);
    const monotonic = (): number => time.now;
    const clock: Clock & { monotonic(): number } = {
      now: () => START + time.now + this.#aheadMs,
      monotonic,
      sleep: (ms, signal) => this.#sleep(ms, signal),
    };
    return {
      clock,
      random: (bytes) => Uint8Array.from({ length: bytes }, () => Math.floor(random() * 256)),
      log: silentLog,
      openStore: (options) => this.#openStore(life, options),
      egress: {
        fetch: async (...request) => {
          await request[1]?.fence?.();
          // What is checked in the same turn is still true when the request leaves, so there is no gate before it.
          const response = await this.#surroundings
            .send(this, life, ...request)
            .finally(() => this.#gate(life));
          this.#surroundings.received(life, response);
          return response;
        },
      },
    };
  }

  #sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.#surroundings.time.after(ms, this, resolve);
      signal?.addEventListener("abort", () => {
        cancel();
        resolve();
      });
    });
  }

  #openStore(life: Life, options: SqliteOptions): Store {
    const store = openSqlite({ ...options, durability: "normal" });
    this.#stores.push(store);
    return new Proxy(store, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        const call = (...args: unknown[]): unknown => value.apply(target, args);
        if (name === "close") return call;
        if (!GATED.has(name)) return call;
        const counts = name !== "changed";
        return (...args: unknown[]) =>
          this.#gated(life, async () => {
            if (name === "write" && this.fault !== undefined) throw faultOf(this.fault);
            if (!counts) return call(...args);
            this.busy++;
            try {
              return await call(...args);
            } finally {
              this.busy--;
            }
          });
      },
    });
  }

  async #gated<T>(life: Life, work: () => Promise<T>): Promise<T> {
    await this.#gate(life);
    try {
      return await work();
    } finally {
      await this.#gate(life);
    }
  }

  async #gate(life: Life): Promise<void> {
    if (this.#isObserved) return;
    this.#surroundings.active();
    if (this.#freezeIn !== undefined && life === this.life && this.#freezeIn-- <= 0) {
      this.#freezeIn = undefined;
      this.isFrozen = true;
      this.trouble();
    }
    while (life.isAlive && this.isFrozen) await new Promise<void>((go) => this.#thaw.push(go));
    if (!life.isAlive) await new Promise<never>(() => undefined);
  }
}

function faultOf(fault: StoreFault): Error {
  if (fault === "locked") return unavailable("The database is locked by another process.");
  return new Error("SQLITE_FULL: database or disk is full");
}
