// Carries out steps on a deployment of its own and checks the invariants after each.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redacted } from "../../src/base";
import type { Principal } from "../../src/identity";
import type { Runtime } from "../../src/runtime";
import type { Execution } from "../../src/tools";
import { type Checked, INVARIANTS, type Violation } from "./invariants";
import { Observer } from "./observer";
import { extensions, PROVIDER } from "./simulated-catalog";
import { type Life, SimulatedProcess } from "./simulated-process";
import { PROCESSES, type Step } from "./steps";
import { VirtualTime } from "./virtual-time";
import { World } from "./world";

/** Work of a process that a step has begun. */
export interface Operation {
  readonly step: Step;
  readonly label: string;
  readonly process: SimulatedProcess;
  readonly life: Life;
  readonly since: number;
  /** Beginnings and ends of all operations are numbered. */
  readonly began: number;
  ended?: number;
  endedAt?: number;
  /** The answer of a call. */
  execution?: Execution;
  error?: unknown;
}

export const OPERATOR: Principal = { kind: "operator", projectId: "default" };
const SCOPES = ["a", "b"];
/** Turns of the event loop without any activity after which nothing more happens by itself. */
const IDLE_TURNS = 5;
const SECRET = "WORD";
/** How long everything may take to end after the last disturbance. */
const AFTERMATH_MS = 240_000;

export class Simulation implements Checked {
  readonly time = new VirtualTime();
  readonly operations: Operation[] = [];
  readonly processes: readonly SimulatedProcess[];
  readonly world: World;
  readonly observer: Observer;
  /** The value of the secret that was acknowledged last; undefined while a write has an unknown outcome. */
  secret: string | undefined;
  /** Scheduled runs: the id by the label. */
  readonly runs = new Map<string, string>();
  readonly deleted = new Set<string>();
  /** Found while a request was under way. */
  readonly found: Violation[] = [];
  readonly #folder = mkdtempSync(join(tmpdir(), "runtime-simulator-"));
  #activity = 0;
  #order = 0;

  constructor(seed: number) {
    this.world = new World(this.time, {
      refreshes: (grant, pair, life) => this.observer.refreshes(this, grant, pair, life),
      revokes: (grant) => this.observer.revokes(this, grant),
      begins: (effect) => this.observer.begins(this, effect),
    });
    const surroundings = {
      folder: this.#folder,
      seed,
      time: this.time,
      extensions,
      send: this.world.send.bind(this.world),
      received: this.world.received.bind(this.world),
      active: () => void this.#activity++,
    };
    this.processes = Array.from(
      { length: PROCESSES },
      (_, index) => new SimulatedProcess(index, surroundings),
    );
    this.observer = new Observer(this.#folder);
  }

  /** The first violation and the step that it was seen after; undefined if there is none. */
  async run(
    steps: readonly Step[],
    ignored: ReadonlySet<string> = new Set(),
  ): Promise<{ violation: Violation; after: number } | undefined> {
    using _timers = this.time.install();
    try {
      await this.observer.open();
      for (const process of this.processes) await process.open();
      for (const step of steps) {
        await this.#perform(step);
        const violation = await this.#check("step", ignored);
        if (violation !== undefined) return { violation, after: step.number };
      }
      await this.#calm();
      const violation = await this.#check("end", ignored);
      return violation === undefined ? undefined : { violation, after: steps.at(-1)?.number ?? 0 };
    } finally {
      for (const process of this.processes) await process.crash();
      await this.observer.close();
      rmSync(this.#folder, { recursive: true, force: true });
    }
  }

  async #check(when: "step" | "end", ignored: ReadonlySet<string>): Promise<Violation | undefined> {
    for (const [invariant, { at, check }] of Object.entries(INVARIANTS)) {
      if (ignored.has(invariant) || (at === "end" && when !== "end")) continue;
      const detail = await check(this);
      if (detail !== undefined) return { invariant, detail };
    }
    return undefined;
  }

  /** Ends all disturbances and waits until everything has ended. */
  async #calm(): Promise<void> {
    this.world.behave();
    for (const process of this.processes) {
      process.fault = undefined;
      process.thaw();
      if (process.runtime === undefined) await process.open();
    }
    await this.#settle();
    await this.time.pass(AFTERMATH_MS, () => this.#settle());
    await this.#settle();
  }

  async #settle(): Promise<void> {
    const busy = (): boolean => this.processes.some(({ busy: calls, isFrozen }) => calls > 0 && !isFrozen);
    let seen = this.#activity;
    for (let idle = 0; idle < IDLE_TURNS; idle++) {
      await new Promise((resolve) => setImmediate(resolve));
      if (this.#activity !== seen || busy()) idle = 0;
      seen = this.#activity;
    }
  }

  async #perform(step: Step): Promise<void> {
    if (step.kind === "script") this.world.script(step.to, step.fate);
    else if (step.kind === "release") this.world.release();
    else if (step.kind === "pass") await this.time.pass(step.ms, () => this.#settle());
    else await this.#of(step);
    await this.#settle();
  }

  async #of(step: Extract<Step, { process: number }>): Promise<void> {
    const process = this.processes[step.process];
    if (process === undefined) return;
    const { runtime } = process;
    if (runtime === undefined) {
      if (step.kind === "open") await process.open();
      return;
    }
    if (step.kind === "thaw") process.thaw();
    else if (step.kind === "crash") await process.crash();
    else if (step.kind === "jump") process.jump(step.ms);
    else if (step.kind === "repair") this.#repair(process);
    else if (!process.isFrozen) await this.#ofRunning(step, process, runtime);
  }

  async #ofRunning(
    step: Extract<Step, { process: number }>,
    process: SimulatedProcess,
    runtime: Runtime,
  ): Promise<void> {
    if (step.kind === "freeze") process.freezeAfter(step.gates);
    else if (step.kind === "close") await this.#close(process);
    else if (step.kind === "fault") {
      process.fault = step.fault;
      process.trouble();
    } else this.#begin(step, process, runtime);
  }

  #repair(process: SimulatedProcess): void {
    if (process.fault !== undefined) process.trouble();
    process.fault = undefined;
  }

  // A stop waits for the work under way. What does not end by itself is ended as by a supervisor.
  async #close(process: SimulatedProcess): Promise<void> {
    let isClosed = false;
    const closing = process.close().then(() => {
      isClosed = true;
    });
    closing.catch(() => undefined);
    await this.#settle();
    if (!isClosed) await process.crash();
  }

  #begin(step: Step, process: SimulatedProcess, runtime: Runtime): void {
    const operation: Operation = {
      step,
      label: labelOf(step),
      process,
      life: process.life,
      since: this.time.now,
      began: this.#order++,
    };
    this.operations.push(operation);
    const work = this.time.within(process, () => this.#work(operation, runtime));
    work
      .catch((error: unknown) => {
        operation.error = error;
      })
      .finally(() => {
        operation.endedAt = this.time.now;
        operation.ended = this.#order++;
        this.#activity++;
      });
  }

  async #work(operation: Operation, runtime: Runtime): Promise<void> {
    const { step, label } = operation;
    if (step.kind === "call") operation.execution = await call(runtime, step, label);
    else if (step.kind === "schedule") {
      const request = { ...requestOf("Write", step.user, label), run_at: "2020-01-01T00:00:00" };
      this.runs.set(label, (await runtime.tools.execute(OPERATOR, request)).id);
    } else if (step.kind === "consent") await this.#consent(runtime, operation.life, step);
    else if (step.kind === "delete") await this.#delete(runtime, step.user);
    else if (step.kind === "secret") await this.#secret(runtime, operation);
  }

  async #consent(
    runtime: Runtime,
    life: Life,
    { user, again }: { user: string; again: boolean },
  ): Promise<void> {
    const provider = await runtime.providers.find("default", PROVIDER);
    if (provider === undefined) throw new Error("the provider is missing");
    const { grant: given, access, refresh } = this.world.consent(user, life, again);
    const grant = {
      accessToken: new Redacted(access),
      refreshToken: refresh === undefined ? undefined : new Redacted(refresh),
      expiresIn: 60,
      scopes: SCOPES,
      facts: { account_id: user },
    };
    await runtime.connections.store("default", user, provider, grant, SCOPES, function* () {});
    given.isAcknowledged = true;
  }

  async #delete(runtime: Runtime, user: string): Promise<void> {
    const row = this.observer.connection(user);
    if (row === undefined) return;
    await runtime.connections.delete(OPERATOR, row.id);
  }

  async #secret(runtime: Runtime, operation: Operation): Promise<void> {
    const { label: value, began, since } = operation;
    this.secret = undefined;
    await runtime.secrets.upsert(OPERATOR, SECRET, { value });
    // Of two writes at the same time either may be the last.
    const isAlone = this.operations.every(
      (other) =>
        other === operation ||
        other.step.kind !== "secret" ||
        (other.ended ?? Infinity) < began ||
        (other.life.endedAt ?? Infinity) < since,
    );
    if (isAlone) this.secret = value;
  }
}

function call(runtime: Runtime, step: Step & { kind: "call" }, label: string): Promise<Execution> {
  const options = step.key === undefined ? {} : { idempotencyKey: label.replaceAll(" ", "-") };
  return runtime.tools.execute(OPERATOR, requestOf(step.tool, step.user, label), options);
}

function requestOf(tool: string, user: string, text: string) {
  return { tool_name: `Sim.${tool}`, user_id: user, input: { text } };
}

/** Names the effect of a step. Calls with the same key have the same label. */
function labelOf(step: Step): string {
  if (step.kind === "call" && step.key !== undefined) return `key ${step.key} of ${step.user}`;
  return `${step.kind} ${step.number}`;
}
