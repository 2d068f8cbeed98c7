// Runs due runs. Each server on the database has a worker; the first one claims a run durably before it starts it. A holder
// renews its leases. If a holder dies, another worker ends its runs, or retries those that can be repeated safely.
import type { Core } from "../../core";
import { newId, newToken } from "../../crypto";
import type { ExecutionLog } from "../../audit";
import type { Identity, Principal } from "../../identity";
import type { Registry, Tool } from "../registry";
import type { ExecuteTool, Execution } from "../schema";
import {
  CUT_OFF,
  type Ended,
  endedBy,
  endedUnknown,
  endedWith,
  mayRepeat,
  pauseBefore,
  refusedBecause,
} from "./outcome";
import * as repository from "./repository";
import type { ListedRun, Next } from "./repository";

export interface WorkerParts {
  identity: Identity;
  registry: Registry;
  executionLog: ExecutionLog;
  /** Runs a tool. */
  run(principal: Principal, request: ExecuteTool, ids: RunIds): Promise<Execution>;
}

/** The ids of an attempt in the execution log. */
export interface RunIds {
  id: string;
  executionId: string;
}

const POLL_MS = 250;
/** Pause after other workers claimed all due runs. */
const YIELD_MS = 20;
/** Concurrent runs per process. */
const SLOTS = 20;
const LEASE_MS = 15_000;
const HEARTBEAT_MS = 5000;

export class ScheduleWorker {
  readonly #core: Core;
  readonly #parts: WorkerParts;
  readonly #holder: string;
  readonly #stopping = new AbortController();
  /** By the run's id. */
  readonly #running = new Map<string, { run: ListedRun; work: Promise<void> }>();
  readonly #heart: ReturnType<typeof setInterval>;
  readonly #loop: Promise<void>;
  #wake: () => void = () => undefined;

  /** Starts immediately. */
  constructor(core: Core, parts: WorkerParts) {
    this.#core = core;
    this.#parts = parts;
    this.#holder = newToken(core.random);
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
        if (this.#running.size < SLOTS) pause = await this.#take();
      } catch (error) {
        this.#core.log.warn("due runs not taken", { error });
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

  /** Claims due runs up to the limit. Returns the pause before the next time, ms. */
  async #take(): Promise<number> {
    const { store, clock, random } = this.#core;
    const due = await repository.dueRuns(store, clock.now(), SLOTS);
    // After a suspend of the machine our own leases may have expired; runs that still run here stay ours.
    const others = due.filter(({ id, fence }) => this.#running.get(id)?.run.fence !== fence);
    if (others.length === 0 || this.#stopping.signal.aborted) return POLL_MS;
    const now = clock.now();
    const lease = { holder: this.#holder, now, leaseUntil: now + LEASE_MS };
    const taken = await Promise.all(
      others.slice(0, SLOTS - this.#running.size).map(async (run) => {
        if (run.status === "running" && !mayRepeat(this.#toolOf(run), run.attempts)) return this.#giveUp(run);
        const attemptId = newId("ta", now, random);
        const claim = { ...lease, attemptId };
        const claimed = await store.write(() => repository.claimRun(run, claim, CUT_OFF));
        if (claimed !== undefined) this.#begin(claimed, attemptId);
        return claimed !== undefined;
      }),
    );
    return taken.includes(true) ? 0 : YIELD_MS;
  }

  #begin(run: ListedRun, attemptId: string): void {
    const work = this.#attempt(run, attemptId)
      .catch((error: unknown) => this.#core.log.error("scheduled run not finished", { id: run.id, error }))
      .finally(() => {
        this.#running.delete(run.id);
        this.#wake();
      });
    this.#running.set(run.id, { run, work });
  }

  async #attempt(run: ListedRun, attemptId: string): Promise<void> {
    const { store, clock, log } = this.#core;
    const ended = await this.#perform(run, attemptId);
    const sealedOutput = await this.#seal(run, attemptId, ended);
    const now = clock.now();
    const pause = pauseBefore(ended, run.attempts);
    const next: Next =
      pause === undefined
        ? { status: ended.success ? "completed" : "failed", toolkitVersion: this.#versionOf(run) }
        : { dueAt: now + pause };
    const end = { now, success: ended.success, sealedOutput, systemError: ended.systemError ?? null };
    const stored = await store.write(() => repository.endAttempt(run, end, next));
    if (!stored) log.warn("scheduled run was given up meanwhile", { id: run.id });
  }

  /** Does not reject if the run fails. */
  async #perform(run: ListedRun, attemptId: string): Promise<Ended> {
    const { keyring, store, log } = this.#core;
    const { project_id: projectId, user_id, execution_id: executionId } = run;
    try {
      const principal = await this.#parts.identity.actor(projectId, run.actor);
      if (principal === undefined) {
        return refusedBecause("The API key that scheduled this run was revoked or has expired.");
      }
      const row = await repository.findRun(store, projectId, run.id);
      if (row === undefined) return refusedBecause("The run was deleted.");
      const input = await keyring.open(projectId, repository.inputPlace(run.id), row.sealed_input);
      const request: ExecuteTool = {
        tool_name: `${run.toolkit_name}.${run.tool_name}`,
        input: JSON.parse(input),
        user_id,
        ...(run.asked_version === null ? {} : { tool_version: run.asked_version }),
        include_error_stacktrace: run.with_stack === 1,
      };
      // The first attempt has the id that the caller knows.
      const id = run.attempts === 1 ? run.id : attemptId;
      return endedWith(await this.#parts.run(principal, request, { id, executionId }));
    } catch (error) {
      log.warn("scheduled run refused", { id: run.id, error });
      return endedBy(error, this.#toolOf(run));
    }
  }

  /** Ends a run whose holder died and that must not be repeated. Returns whether this worker ended it. */
  async #giveUp(run: ListedRun): Promise<boolean> {
    const { store, clock, random, log } = this.#core;
    const attemptId = await repository.findAttempt(store, run);
    if (attemptId === undefined) return false;
    const tool = this.#toolOf(run);
    const ended = endedUnknown(tool);
    const sealedOutput = await this.#seal(run, attemptId, ended);
    const end = { now: clock.now(), sealedOutput, systemError: ended.systemError ?? null };
    if (!(await store.write(() => repository.giveUpRun(run, end)))) return false;
    log.warn("scheduled run was cut off", { id: run.id, tool: run.tool_name });
    this.#parts.executionLog.add({
      // The holder may still be alive and use the id of the run.
      id: newId("te", end.now, random),
      executionId: run.execution_id,
      projectId: run.project_id,
      userId: run.user_id,
      actor: run.actor,
      tool: `${run.toolkit_name}.${run.tool_name}@${run.toolkit_version}`,
      status: "failed",
      errorKind: ended.output?.error?.kind ?? null,
      durationMs: Math.max(0, end.now - (run.started_at ?? end.now)),
    });
    return true;
  }

  async #beat(): Promise<void> {
    const { store, clock, log } = this.#core;
    if (this.#running.size === 0) return;
    const until = clock.now() + LEASE_MS;
    const runs = [...this.#running.values()];
    await Promise.all(runs.map(({ run }) => store.write(() => repository.extendLease(run, until)))).catch(
      (error: unknown) => log.warn("leases of scheduled runs not renewed", { error }),
    );
  }

  async #seal(run: ListedRun, attemptId: string, { output }: Ended): Promise<string | null> {
    if (output === undefined) return null;
    const place = repository.outputPlace(attemptId);
    return this.#core.keyring.seal(run.project_id, place, JSON.stringify(output));
  }

  /** Undefined if this server no longer has the tool. */
  #toolOf(run: ListedRun): Tool | undefined {
    try {
      return this.#parts.registry.find(
        `${run.toolkit_name}.${run.tool_name}`,
        run.asked_version ?? undefined,
      );
    } catch {
      return undefined;
    }
  }

  #versionOf(run: ListedRun): string {
    return this.#toolOf(run)?.catalog.toolkit.version ?? run.toolkit_version;
  }
}
