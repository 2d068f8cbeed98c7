// Runs due runs. Each server on the database has a worker; the first one claims a run durably before it starts it. A holder
// renews its leases, and the others watch them. If a holder dies, another worker ends its runs, or retries those that can be
// repeated safely.
import { Delays } from "../../base";
import type { Core } from "../../core";
import { newId, newToken } from "../../crypto";
import type { Audit, ExecutionLog } from "../../audit";
import type { Identity, Principal } from "../../identity";
import { DEAD_AFTER_MS, HEARTBEAT_MS, LeaseLost, type Transaction, untilStored } from "../../store";
import type { Registry, Tool } from "../registry";
import type { CalledBy, RunIds } from "../run";
import type { ExecuteTool, Execution } from "../schema";
import { endAttempt, giveUpRun } from "./audited-end";
import { DeadHolders } from "./dead-holders";
import { RunHold } from "./hold";
import {
  CUT_OFF,
  type Ended,
  endedBy,
  endedUnknown,
  endedWith,
  GRANT_ENDED,
  KEY_ENDED,
  mayRepeat,
  pauseBefore,
  refusedBecause,
  UNOPENED,
  UNSEALED,
} from "./outcome";
import * as repository from "./repository";
import type { ListedRun, Next } from "./repository";
import { openInput, sealOutput } from "./sealed";
import { toolOf } from "./tool-of";
import { Turns } from "./turns";

export interface WorkerParts {
  identity: Identity;
  registryOf(projectId: string): Promise<Registry>;
  executionLog: ExecutionLog;
  audit: Audit;
  /** Runs a tool. */
  run(
    principal: Principal,
    request: ExecuteTool,
    ids: RunIds,
    by: Pick<CalledBy, "fence">,
  ): Promise<Execution>;
}

const POLL_MS = 250;
/** When a run that could not be taken is tried again. */
const TAKING_DELAYS = { firstMs: 250, maxMs: 60_000, maxKeys: 1000 };
/** Pause after other workers claimed all due runs. */
const YIELD_MS = 20;
const LONGEST_PAUSE_MS = 5000;

export class ScheduleWorker {
  readonly #core: Core;
  readonly #parts: WorkerParts;
  readonly #holder: string;
  readonly #stopping = new AbortController();
  readonly #deadHolders: DeadHolders;
  readonly #turns: Turns;
  /** Runs that could not be taken. */
  readonly #delays: Delays;
  /** By the run's id. */
  readonly #running = new Map<string, { hold: RunHold; work: Promise<void> }>();
  /** The pause after a failure to read runs, ms; 0 after a success. */
  #failurePause = 0;
  readonly #heart: ReturnType<typeof setInterval>;
  readonly #loop: Promise<void>;
  #wake: () => void = () => undefined;

  /** Starts immediately. */
  constructor(core: Core, parts: WorkerParts) {
    this.#core = core;
    this.#parts = parts;
    this.#holder = newToken(core.random);
    this.#deadHolders = new DeadHolders(core);
    this.#turns = new Turns(core);
    this.#delays = new Delays(core.clock, TAKING_DELAYS);
    this.#heart = setInterval(() => void this.#beat(), HEARTBEAT_MS);
    this.#loop = this.#work();
  }

  /** Claims no more runs, and resolves when the current ones have ended. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wake();
    await this.#loop;
    await Promise.all([...this.#running.values()].map(({ work }) => work));
    clearInterval(this.#heart);
  }

  async #work(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      let pause = POLL_MS;
      try {
        pause = await this.#take();
        this.#failurePause = 0;
      } catch (error) {
        if (this.#failurePause === 0) this.#core.log.warn("due runs not taken", { error });
        pause = this.#failurePause = Math.min(Math.max(2 * this.#failurePause, POLL_MS), LONGEST_PAUSE_MS);
      }
      if (pause > 0) await this.#pause(pause);
    }
  }

  /** Waits for this time or until a run ends. */
  async #pause(ms: number): Promise<void> {
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    if (!this.#stopping.signal.aborted) await this.#core.clock.sleep(ms, woken.signal);
  }

  /** Takes runs of dead holders and due runs while there are places. Returns the pause before the next time, ms. */
  async #take(): Promise<number> {
    const isOurs = ({ id, fence }: ListedRun) => this.#running.get(id)?.hold.run.fence === fence;
    const dead = (await this.#deadHolders.runs(isOurs)).filter(({ id }) => !this.#delays.has(id));
    const due = await this.#turns.due();
    const repeated: ListedRun[] = [];
    for (const run of dead) if (mayRepeat(await this.#toolOf(run), run.attempts)) repeated.push(run);
    const ended = dead.filter((run) => !repeated.includes(run));
    if (this.#stopping.signal.aborted) return POLL_MS;
    const waiting = [...this.#turns.order(repeated), ...due].filter(({ id }) => !this.#delays.has(id));
    const claimed = waiting.filter((run) => this.#turns.take(run));
    if (claimed.length + ended.length === 0) return POLL_MS;
    const taken = await Promise.all([
      ...ended.map((run) => this.#delayed(run.id, () => this.#giveUp(run))),
      ...claimed.map((run) => this.#claimOrRelease(run)),
    ]);
    return taken.includes(true) ? 0 : YIELD_MS;
  }

  async #claimOrRelease(run: ListedRun): Promise<boolean> {
    const claimed = await this.#delayed(run.id, () => this.#claim(run));
    if (!claimed) this.#turns.release(run);
    return claimed;
  }

  async #claim(run: ListedRun): Promise<boolean> {
    const { store, clock, random } = this.#core;
    const attemptId = newId("ta", clock.now(), random);
    const [holder, deadHolders] = [this.#holder, this.#deadHolders];
    let at = 0;
    // The transaction may wait long for the lock, so it takes the time itself.
    const claimed = await store.write(function* () {
      at = clock.monotonic();
      const now = clock.now();
      if (run.status === "running" && !deadHolders.isCurrent(run)) return undefined;
      const claim = { holder, now, leaseUntil: now + DEAD_AFTER_MS, attemptId };
      return yield* repository.claimRun(run, claim, CUT_OFF);
    });
    if (claimed !== undefined) this.#begin(new RunHold(this.#core, claimed, at), attemptId);
    return claimed !== undefined;
  }

  #begin(hold: RunHold, attemptId: string): void {
    const { id } = hold.run;
    const work = this.#core.work
      .during("scheduled_runs", () => this.#attempt(hold, attemptId))
      .catch((error: unknown) => {
        if (error instanceof LeaseLost) this.#core.log.warn("scheduled run was given up meanwhile", { id });
        else this.#core.log.error("scheduled run not finished", { id, error });
      })
      .finally(() => {
        this.#running.delete(id);
        this.#turns.release(hold.run);
        this.#wake();
      });
    this.#running.set(id, { hold, work });
  }

  async #attempt(hold: RunHold, attemptId: string): Promise<void> {
    const { store, clock, log } = this.#core;
    const { run } = hold;
    const performed = await this.#perform(hold, attemptId);
    const toolkitVersion = (await this.#toolOf(run))?.catalog.toolkit.version ?? run.toolkit_version;
    // Sealed again for each attempt: its data key may be replaced meanwhile.
    const write = async (): Promise<boolean> => {
      const sealed = await sealOutput(this.#core, run, attemptId, performed);
      const ended = sealed === undefined ? UNSEALED : performed;
      return store.write(() => this.#end(run, toolkitVersion, ended, sealed ?? null));
    };
    const stored = await untilStored(write, {
      clock,
      stopping: this.#stopping.signal,
      failed: (error, before) => {
        if (before === 0) log.warn("end of a scheduled run not stored yet", { id: run.id, error });
      },
    });
    if (!stored) throw new LeaseLost();
  }

  #toolOf(run: ListedRun): Promise<Tool | undefined> {
    return toolOf(this.#parts.registryOf, run);
  }

  #end(
    run: ListedRun,
    toolkitVersion: string,
    ended: Ended,
    sealedOutput: string | null,
  ): Transaction<boolean> {
    const now = this.#core.clock.now();
    const { success, systemError = null } = ended;
    const pause = pauseBefore(ended, run.attempts);
    const next: Next =
      pause === undefined
        ? { status: success ? "completed" : "failed", toolkitVersion }
        : { dueAt: now + pause };
    return endAttempt(this.#parts.audit, run, { now, success, sealedOutput, systemError }, next);
  }

  /** False if `take` fails. Then the run is not tried again for a while, so that it delays no others. */
  async #delayed(id: string, take: () => Promise<boolean>): Promise<boolean> {
    try {
      const taken = await take();
      this.#delays.clear(id);
      return taken;
    } catch (error) {
      if (this.#delays.add(id) === 0) this.#core.log.warn("scheduled run not taken", { id, error });
      return false;
    }
  }

  /** Does not reject if the run fails. Throws `LeaseLost`. */
  async #perform({ run, check }: RunHold, attemptId: string): Promise<Ended> {
    const { store, log } = this.#core;
    const { project_id: projectId, user_id, execution_id: executionId } = run;
    try {
      const principal = await this.#parts.identity.actor(projectId, run.actor, run.grant_id);
      if (principal === undefined) return refusedBecause(run.grant_id === null ? KEY_ENDED : GRANT_ENDED);
      const row = await repository.findRun(store, projectId, run.id);
      if (row === undefined) return refusedBecause("The run was deleted.");
      const input = await openInput(this.#core, row);
      if (input === undefined) return refusedBecause(UNOPENED);
      const request: ExecuteTool = {
        tool_name: `${run.toolkit_name}.${run.tool_name}`,
        input: JSON.parse(input),
        user_id,
        ...(run.asked_version === null ? {} : { tool_version: run.asked_version }),
        include_error_stacktrace: run.with_stack === 1,
      };
      // The first attempt has the id that the caller knows.
      const id = run.attempts === 1 ? run.id : attemptId;
      return endedWith(await this.#parts.run(principal, request, { id, executionId }, { fence: check }));
    } catch (error) {
      if (error instanceof LeaseLost) throw error;
      log.warn("scheduled run refused", { id: run.id, error });
      return endedBy(error, await this.#toolOf(run));
    }
  }

  /** Ends a run whose holder died and that must not be repeated. Returns whether this worker ended it. */
  async #giveUp(run: ListedRun): Promise<boolean> {
    const { store, clock, random, log } = this.#core;
    const erasure = await this.#parts.executionLog.erasures.latest();
    const attemptId = await repository.findAttempt(store, run);
    const tool = await this.#toolOf(run);
    const ended = endedUnknown(tool);
    const sealedOutput =
      attemptId === undefined ? null : ((await sealOutput(this.#core, run, attemptId, ended)) ?? null);
    const systemError = ended.systemError ?? null;
    const now = clock.now();
    const [deadHolders, { audit }] = [this.#deadHolders, this.#parts];
    const incarnation = await store.write(function* () {
      if (!deadHolders.isCurrent(run)) return undefined;
      return yield* giveUpRun(audit, run, { now: clock.now(), sealedOutput, systemError });
    });
    if (incarnation === undefined) return false;
    log.warn("scheduled run was cut off", { id: run.id, tool: run.tool_name });
    this.#parts.executionLog.add({
      // The holder may still be alive and use the id of the run.
      id: newId("te", now, random),
      executionId: run.execution_id,
      projectId: run.project_id,
      incarnation,
      userId: run.user_id,
      actor: run.actor,
      tool: `${run.toolkit_name}.${run.tool_name}@${run.toolkit_version}`,
      status: "failed",
      errorKind: ended.output?.error?.kind ?? null,
      durationMs: Math.max(0, now - (run.started_at ?? now)),
      erasure,
    });
    return true;
  }

  async #beat(): Promise<void> {
    const renewed = [...this.#running.values()].map(({ hold }) => hold.renew());
    await Promise.all(renewed).catch((error: unknown) =>
      this.#core.log.warn("leases of scheduled runs not renewed", { error }),
    );
  }
}
