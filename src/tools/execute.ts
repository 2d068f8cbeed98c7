// Executes tools: the only path on which a tool runs, for all protocols.
import { type Abortable, signalOf, timestamp } from "../base";
import type { ExecutionLog } from "../audit";
import type { Core } from "../core";
import { newId } from "../crypto";
import { RuntimeError } from "../errors";
import { actorOf, type Principal } from "../identity";
import type { Entry } from "../telemetry";
import type { Caller } from "./caller";
import { firstLogs, outputOf } from "./execution-output";
import { toolErrorRecord } from "./failure";
import { runGuarded } from "./guarded";
import type { Idempotency } from "./idempotency";
import { checkInput, judgeInput } from "./input";
import { observed } from "./observed";
import { type Guard, hiddenTool, type PolicyDecision, type ToolPolicy } from "./policy";
import type { Readiness } from "./readiness";
import type { Registry, Tool } from "./registry";
import type { CalledBy, PlannedRun, RunIds, RunOutcome, Runner } from "./run";
import { refusalOf, sentRequest } from "./same-call";
import { instantOf } from "./schedule/run-at";
import type { Schedule } from "./schedule/service";
import type { ExecuteTool, Execution, ExecutionOutput } from "./schema";
import { tellCaller } from "./tell-caller";
import { outcomeUnknown, ToolError, upstreamFailed } from "./tool-error";

export interface ExecuteOptions {
  idempotencyKey?: string | undefined;
  /** What must be equal in a repeat under the key. Default: the request as it was sent. */
  sameAs?: string | undefined;
  /** Aborts when the caller disconnects. A run with an Idempotency-Key continues: the caller will request its answer. */
  signal?: Abortable | undefined;
  /** For progress and questions of the run. */
  caller?: Caller | undefined;
  /** Which way the call came in, for metrics and traces. Default: `api`. */
  entry?: Entry | undefined;
  /** By which a model calls the tool, for traces. */
  callId?: string | undefined;
}

export interface ExecuteParts {
  /** `Suspensions.actFor` */
  actFor(principal: Principal, userId: string | undefined): Promise<string>;
  /** The tools of a project. */
  registryOf(projectId: string): Promise<Registry>;
  readiness: Readiness;
  runner: Runner;
  policy: ToolPolicy;
  schedule: Schedule;
  executionLog: ExecutionLog;
  idempotency: Idempotency;
}

/** The user, the tool and the request of a run. */
interface Chosen {
  principal: Principal;
  userId: string;
  tool: Tool;
  request: ExecuteTool;
  entry: Entry;
  callId: string | undefined;
  /** As in the entry of the log. */
  erasure: number;
}

/** A call with its ids and the decisions of hooks. */
interface Named extends RunIds {
  type: Execution["execution_type"];
  decisions: PolicyDecision[];
}

type PreparedRun = Pick<PlannedRun, "ready" | "inputs">;

export class Execute {
  readonly #core: Core;
  readonly #registryOf: ExecuteParts["registryOf"];
  readonly #readiness: Readiness;
  readonly #runner: Runner;
  readonly #policy: ToolPolicy;
  readonly #schedule: Schedule;
  readonly #executionLog: ExecutionLog;
  readonly #idempotency: Idempotency;
  readonly #actFor: ExecuteParts["actFor"];

  constructor(core: Core, parts: ExecuteParts) {
    const { registryOf, readiness, runner, policy, schedule, executionLog, idempotency } = parts;
    this.#core = core;
    this.#registryOf = registryOf;
    this.#readiness = readiness;
    this.#runner = runner;
    this.#policy = policy;
    this.#schedule = schedule;
    this.#executionLog = executionLog;
    this.#idempotency = idempotency;
    this.#actFor = parts.actFor;
  }

  /**
   * Runs a tool for a user, or schedules it for `run_at`. A failed tool is an answer (`success: false`), not an error.
   * Throws `tool_requirements_not_met` (403 if the user must consent, 400 if an administrator must act) and what
   * `actFor`, `instantOf` and the registry throw.
   */
  async execute(
    principal: Principal,
    request: ExecuteTool,
    options: ExecuteOptions = {},
  ): Promise<Execution> {
    const user = await this.#userOf(principal, request);
    const { userId } = user;
    const runAt = request.run_at === undefined ? undefined : instantOf(request.run_at);
    const { idempotencyKey, sameAs = sentRequest(request), signal, caller } = options;
    const work = (tool: Tool, by: CalledBy): Promise<Execution> => {
      const { entry = "api", callId } = options;
      const chosen = { principal, ...user, tool, request, entry, callId };
      return runAt === undefined ? this.#run(chosen, this.#named(), by) : this.#later(chosen, runAt);
    };
    if (idempotencyKey === undefined) return work(await this.#toolOf(principal, request), { signal, caller });
    // A repeat gets its answer also after the tool was removed or hidden.
    const tool = await this.#toolOf(principal, request).catch(refusalOf);
    return this.#idempotency.once(
      {
        projectId: principal.projectId,
        incarnation: principal.incarnation,
        credential: actorOf(principal),
        operation: "tool-execute",
        key: idempotencyKey,
        userId,
        request: JSON.stringify([userId, sameAs]),
      },
      async (begins) => {
        if (tool instanceof RuntimeError) throw tool;
        return work(tool, { begins });
      },
      () => this.#lost(),
      signalOf(signal),
      // A call that was refused before it ran may succeed later, so its answer is not stored.
      ({ status }, hasBegun) => hasBegun || status !== "failed",
    );
  }

  /** An attempt of a scheduled run, with its ids. Throws what `by.fence` throws before the tool runs. */
  async attempt(
    principal: Principal,
    request: ExecuteTool,
    { id, executionId }: RunIds,
    by: Pick<CalledBy, "fence">,
  ): Promise<Execution> {
    const named: Named = { id, executionId, type: "scheduled", decisions: [] };
    const user = await this.#userOf(principal, request);
    const tool = await this.#toolOf(principal, request);
    const chosen: Chosen = { principal, ...user, tool, request, entry: "schedule", callId: undefined };
    return this.#run(chosen, named, by);
  }

  /** The user for whom the tool runs. Throws for one whom the caller may not act for, and for a suspended one. */
  async #userOf(principal: Principal, request: ExecuteTool): Promise<Pick<Chosen, "userId" | "erasure">> {
    const erasure = await this.#executionLog.erasures.latest();
    return { userId: await this.#actFor(principal, request.user_id), erasure };
  }

  async #toolOf({ projectId }: Principal, { tool_name, tool_version }: ExecuteTool): Promise<Tool> {
    return (await this.#registryOf(projectId)).find(tool_name, tool_version);
  }

  /** Fails now if the run would fail now, not only at its time. */
  async #later(chosen: Chosen, runAt: number): Promise<Execution> {
    const { principal, userId, tool, request } = chosen;
    const given = request.input ?? {};
    const named: Named = { ...this.#named(), type: "scheduled" };
    try {
      const guard = await this.#policy.guardOf(principal.projectId);
      const refused = guard === undefined ? undefined : await this.#refused(guard, chosen, named);
      if (refused !== undefined) throw refused;
      await checkInput(tool.definition, given);
      await this.#readiness.check(principal.projectId, userId, tool, given);
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      const withStack = request.include_error_stacktrace === true;
      return this.#execution(named, "failed", undefined, { error: toolErrorRecord(error, tool, withStack) });
    }
    return this.#schedule.add({ ...chosen, runAt });
  }

  #run(chosen: Chosen, named: Named, options: CalledBy): Promise<Execution> {
    const run = () => this.#perform(chosen, named, options);
    return this.#core.work.during("tool_calls", () => observed(this.#core, chosen, named.executionId, run));
  }

  async #perform(chosen: Chosen, named: Named, options: CalledBy): Promise<Execution> {
    const { principal, userId, tool, request } = chosen;
    // Hooks are requests, too.
    await options.fence?.();
    const guard = await this.#policy.guardOf(principal.projectId);
    const refused = guard === undefined ? undefined : await this.#refused(guard, chosen, named);
    const prepared = refused ?? (await this.#prepare(chosen));
    const started = performance.now();
    const logs = firstLogs(tool);
    const outcome: RunOutcome =
      prepared instanceof ToolError
        ? { error: prepared }
        : await this.#outcome(guard, named, { ...prepared, logs, by: options });
    tellCaller(options.caller, outcome, named.decisions);
    const duration = Math.round((performance.now() - started) * 1000) / 1000;
    const output = outputOf(outcome, tool, logs, request.include_error_stacktrace === true);
    const status = "error" in outcome ? "failed" : "completed";
    const execution = this.#execution(named, status, duration, output);
    this.#executionLog.add({
      id: execution.id,
      executionId: execution.execution_id,
      projectId: principal.projectId,
      incarnation: principal.incarnation ?? "",
      userId,
      actor: actorOf(principal),
      tool: tool.fullyQualifiedName,
      status,
      errorKind: "error" in outcome ? outcome.error.kind : null,
      durationMs: duration,
      erasure: chosen.erasure,
      decisions: named.decisions,
    });
    return execution;
  }

  /**
   * The checked input, then the requirements: an invalid input must not send the user to a consent. Returns a `ToolError` for an
   * invalid input, and what `Readiness.of` returns.
   */
  async #prepare({ principal, userId, tool, request }: Chosen): Promise<PreparedRun | ToolError> {
    const given = request.input ?? {};
    const inputs = await judgeInput(tool.definition, given);
    if (inputs instanceof ToolError) return inputs;
    const ready = await this.#readiness.of(principal.projectId, userId, tool, given);
    if (!(ready instanceof ToolError))
      return { ready: { ...ready, incarnation: principal.incarnation, actor: principal }, inputs };
    this.#core.log.warn("a tool cannot run", { tool: tool.qualifiedName, error: ready });
    return ready;
  }

  /** Throws what `runGuarded` throws. */
  async #outcome(
    guard: Guard | undefined,
    { id, executionId, decisions }: Named,
    prepared: Omit<PlannedRun, "ids">,
  ): Promise<RunOutcome> {
    const run = { ...prepared, ids: { id, executionId } };
    try {
      if (guard === undefined) return await this.#runner.run(run);
      return await runGuarded(
        { guard, runner: this.#runner, readiness: this.#readiness },
        { ...run, decisions },
      );
    } catch (error) {
      if (error instanceof ToolError) return { error };
      throw error;
    }
  }

  /** Undefined for a tool that the user may see. Throws `tool_not_found` for a hidden one. */
  async #refused(
    guard: Guard,
    { userId, tool, request }: Chosen,
    { decisions }: Named,
  ): Promise<ToolError | undefined> {
    const admitted = await guard.admits(userId, tool, decisions);
    if (admitted === false) throw hiddenTool(request.tool_name);
    return admitted === true ? undefined : admitted;
  }

  /** The answer to a repeated request whose first run was lost with its process. */
  #lost(): Execution {
    const error = outcomeUnknown(upstreamFailed("The first run with this Idempotency-Key was interrupted."));
    return this.#execution(this.#named(), "failed", undefined, {
      error: toolErrorRecord(error, undefined, false),
    });
  }

  #named(): Named {
    const { clock, random } = this.#core;
    const id = newId("te", clock.now(), random);
    // Both ids have the same number.
    return { id, executionId: `tc${id.slice(2)}`, type: "immediate", decisions: [] };
  }

  #execution(
    { id, executionId, type }: Named,
    status: "completed" | "failed",
    duration: number | undefined,
    output: ExecutionOutput,
  ): Execution {
    const finished_at = timestamp(this.#core.clock.now());
    const success = status === "completed";
    const ids = { id, execution_id: executionId, execution_type: type };
    return duration === undefined
      ? { ...ids, status, success, finished_at, output }
      : { ...ids, status, success, duration, finished_at, output };
  }
}
