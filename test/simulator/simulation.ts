// Carries out steps on a deployment of its own and checks the invariants after each.
import { rmSync } from "node:fs";
import { isUnavailable } from "../../src/errors";
import {
  type Checked,
  type History,
  INVARIANTS,
  newHistory,
  type Violation,
  watchers,
  wrote,
} from "./invariants";
import { labelOf, type Operation } from "./operation";
import { Observer } from "./observer";
import { ScriptedServer } from "./postgres/server";
import { extensions } from "./simulated-catalog";
import { SimulatedProcess } from "./simulated-process";
import {
  type Engine,
  type Event,
  isWork,
  type Outside,
  SERVERS,
  type Step,
  TERMINAL,
  USERS,
  type Work,
} from "./steps";
import { newFolder } from "./template";
import { isTokenValid } from "./valid-token";
import { VirtualTime } from "./virtual-time";
import { SECOND, Workshop } from "./work";
import { World } from "./world";

/** Turns of the event loop without any activity after which nothing more happens by itself. */
const IDLE_TURNS = 5;
/** How long everything may take to end after the last disturbance. */
const AFTERMATH_MS = 240_000;
/** Time passes in larger steps when much of it passes. */
const LONG_MS = 12_000;
const LONG_TICK_MS = 1000;
/** How long a server may take to start if it waits for its database, and one that was told to stop. */
const OPEN_MS = 15_000;
const CLOSE_MS = 15_000;

export interface Failed {
  violation: Violation;
  /** The number of the step that it was seen after. */
  after: number;
}

/** Runs steps. `ignored`: invariants that are not checked. */
export async function simulate(
  seed: number,
  steps: readonly Step[],
  ignored: ReadonlySet<string> = new Set(),
  engine: Engine = "sqlite",
): Promise<{ failed: Failed | undefined; operations: readonly Operation[] }> {
  const folder = await newFolder();
  try {
    const simulation = new Simulation(seed, folder, { ignored, engine });
    return { failed: await simulation.run(steps), operations: simulation.operations };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

class Simulation implements Checked {
  readonly time = new VirtualTime();
  readonly operations: Operation[] = [];
  readonly processes: readonly SimulatedProcess[];
  readonly world: World;
  readonly observer: Observer;
  readonly work: Workshop;
  readonly history: History = newHistory();
  readonly #seed: number;
  readonly #ignored: ReadonlySet<string>;
  readonly #database: ScriptedServer | undefined;
  #activity = 0;
  #order = 0;

  constructor(
    seed: number,
    folder: string,
    { ignored, engine }: { ignored: ReadonlySet<string>; engine: Engine },
  ) {
    this.#seed = seed;
    this.#ignored = ignored;
    const active = (): void => void this.#activity++;
    const found = (violation: Violation): void => void this.history.found.push(violation);
    const disturbed = (): void => this.processes.forEach((each) => each.disturbed());
    if (engine === "postgres")
      this.#database = new ScriptedServer({ seed, time: this.time, active, found, disturbed });
    this.observer = new Observer(folder);
    this.world = new World(this.time, watchers(this));
    this.work = new Workshop(this.world, this.observer, this.operations);
    this.world.provider.connect(USERS);
    const surroundings = {
      folder,
      seed,
      time: this.time,
      extensions,
      send: this.world.send.bind(this.world),
      received: this.world.provider.received.bind(this.world.provider),
      wrote: () => wrote(this),
      active,
      settled: () => this.#settle(),
      database: this.#database,
    };
    this.processes = Array.from(
      { length: SERVERS + 1 },
      (_, index) => new SimulatedProcess(index === TERMINAL ? "terminal" : `P${index}`, index, surroundings),
    );
  }

  async run(steps: readonly Step[]): Promise<Failed | undefined> {
    using _timers = this.time.install(this.#seed);
    try {
      await this.observer.open();
      for (const server of this.#servers) await this.#open(server);
      for (const step of steps) {
        await this.#perform(step);
        const violation = await this.#check("step");
        if (violation !== undefined) return { violation, after: step.number };
      }
      await this.#calm();
      const violation = await this.#check("end");
      return violation === undefined ? undefined : { violation, after: steps.at(-1)?.number ?? 0 };
    } finally {
      for (const process of this.processes) await process.crash();
      this.#database?.close();
      await this.observer.close();
    }
  }

  get #servers(): readonly SimulatedProcess[] {
    return this.processes.slice(0, SERVERS);
  }

  async #check(when: "step" | "end"): Promise<Violation | undefined> {
    for (const [invariant, { at, check }] of Object.entries(INVARIANTS)) {
      if (this.#ignored.has(invariant) || (at === "end" && when !== "end")) continue;
      const detail = await check(this);
      if (detail !== undefined) return { invariant, detail };
    }
    return undefined;
  }

  /** Ends all disturbances and waits until everything has ended. */
  async #calm(): Promise<void> {
    this.world.behave();
    this.#database?.behave();
    for (const process of this.processes) {
      process.fail(undefined);
      process.thaw();
    }
    for (const server of this.#servers) if (!server.life.isAlive) await this.#open(server);
    await this.#settle();
    await this.#pass(AFTERMATH_MS);
    await this.#settle();
  }

  async #settle(): Promise<void> {
    const isBusy = (): boolean => this.processes.some(({ busy, isFrozen }) => busy.calls > 0 && !isFrozen);
    let seen = this.#activity;
    for (let idle = 0; idle < IDLE_TURNS; idle++) {
      await new Promise((resolve) => setImmediate(resolve));
      if (this.#activity !== seen || isBusy()) idle = 0;
      seen = this.#activity;
    }
  }

  async #perform(step: Step): Promise<void> {
    if (isWork(step)) this.#begin(step);
    else if ("process" in step) await this.#happen(step);
    else await this.#outside(step);
    await this.#settle();
  }

  async #outside(step: Outside): Promise<void> {
    const { provider, held } = this.world;
    if (step.kind === "script") this.world.script(step);
    else if (step.kind === "release") held.release();
    else if (step.kind === "pass") await this.#pass(step.ms);
    else if (step.kind === "end grant") provider.end(step.user);
    else if (step.kind === "power loss") await this.#losePower();
    else if (step.kind === "database") this.#database?.script(step.name, step.fate);
    else if (step.kind === "restart") this.#database?.restart(step.downMs);
    else {
      this.#database?.endTransactions();
      this.history.damaged = this.observer.incarnation(SECOND);
      this.observer.damage(SECOND);
    }
  }

  #pass(ms: number): Promise<void> {
    return this.time.pass(ms, () => this.#settle(), ms < LONG_MS ? undefined : LONG_TICK_MS);
  }

  async #losePower(): Promise<void> {
    for (const process of this.processes) await process.crash();
    this.#database?.close();
    await this.observer.losePower();
    this.history.logged = 0;
    this.history.powerLostAt = this.time.now;
    for (const server of this.#servers) await this.#open(server);
  }

  async #happen(step: Event): Promise<void> {
    const process = this.processes[step.process];
    if (process === undefined) return;
    if (step.kind === "freeze") {
      if (step.process === TERMINAL || process.life.isAlive) process.freezeAfter(step.gates, step.at);
    } else if (step.kind === "jump") process.clock.jump(step.ms);
    else if (step.kind === "drift") process.clock.drift(step.rate);
    else if (step.kind === "open") {
      if (step.process !== TERMINAL && !process.life.isAlive) await this.#open(process);
    } else if (process.life.isAlive) await this.#happenToLive(step, process);
  }

  async #happenToLive(step: Event, process: SimulatedProcess): Promise<void> {
    if (step.kind === "thaw") process.thaw();
    else if (step.kind === "crash") await process.crash();
    else if (step.kind === "repair") process.fail(undefined);
    else if (step.kind === "fault") process.fail(step.fault);
    else if (step.kind === "close" && !process.isFrozen) await this.#close(process);
  }

  async #open(server: SimulatedProcess): Promise<void> {
    const opening = server.open().catch((error: unknown) => {
      // Without its database server it says so, and is started again.
      if (this.#database !== undefined && isUnavailable(error)) return server.crash();
      this.history.found.push({ invariant: "serverStarts", detail: `${server.name}: ${String(error)}` });
      return undefined;
    });
    if (this.#database === undefined) await opening;
    else if (!(await this.#ends(opening, OPEN_MS))) await server.crash();
  }

  /** Lets time pass until something has ended, or for this time. */
  async #ends(work: Promise<void>, ms: number): Promise<boolean> {
    let isOver = false;
    work.then(
      () => (isOver = true),
      () => (isOver = true),
    );
    await this.#settle();
    const end = this.time.now + ms;
    while (!isOver && this.time.now < end) await this.time.pass(1000, () => this.#settle());
    return isOver;
  }

  // A stop waits for the work under way. What does not end in time is ended as by a supervisor.
  async #close(process: SimulatedProcess): Promise<void> {
    await this.#ends(process.close(), CLOSE_MS);
    if (process.life.isAlive) await process.crash();
  }

  #begin(step: Step & Work): void {
    const process = this.processes[step.process];
    if (process === undefined || process.isFrozen) return;
    const isCommand = step.process === TERMINAL;
    if (isCommand ? process.life.isAlive : process.runtime === undefined) return;
    const operation: Operation = {
      step,
      label: labelOf(step),
      process,
      life: process.life,
      since: this.time.now,
      began: this.#order++,
      incarnation: step.kind === "visit" ? this.observer.incarnation(SECOND) : undefined,
      isTokenValid: step.kind === "call" && isTokenValid(this, process, step.user),
    };
    this.operations.push(operation);
    this.#carryOut(operation, isCommand)
      .catch((error: unknown) => {
        operation.error = error;
      })
      .finally(() => {
        operation.endedAt = this.time.now;
        operation.ended = this.#order++;
        this.#activity++;
      });
  }

  #carryOut(operation: Operation, isCommand: boolean): Promise<void> {
    const { process } = operation;
    const { runtime } = process;
    if (isCommand) {
      const done = process.command((own) => this.work.do(operation, own));
      operation.life = process.life;
      return done;
    }
    if (runtime === undefined) return Promise.resolve();
    const run = (): Promise<void> => this.work.do(operation, runtime);
    // As the server does for each request.
    return this.time.within(process.life, () => runtime.core.store.request?.(run) ?? run());
  }
}
