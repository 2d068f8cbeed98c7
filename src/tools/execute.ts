// The one path on which a tool runs, whoever asked for it.
import { timestamp } from "../base";
import type { ExecutionLog } from "../audit";
import type { Core } from "../core";
import { newId } from "../crypto";
import { invalidParameter } from "../errors";
import { actFor, actorOf, type Principal } from "../identity";
import { type Caller, InputNeeded } from "./caller";
import { deprecationMessage } from "./document";
import { toolErrorRecord } from "./failure";
import { Idempotency } from "./idempotency";
import type { Readiness } from "./readiness";
import type { Registry, Tool } from "./registry";
import type { Logs, Runner, RunOutcome } from "./run";
import type { ExecuteTool, Execution, ExecutionOutput } from "./schema";
import { outcomeUnknown, ToolError, upstreamFailed } from "./tool-error";

export interface ExecuteOptions {
  idempotencyKey?: string | undefined;
  /** Aborts when the caller is gone. A run under an Idempotency-Key goes on: the caller will ask for its answer. */
  signal?: AbortSignal | undefined;
  /** Where the run can tell how far it is and ask. */
  caller?: Caller | undefined;
}

export interface ExecuteParts {
  registry: Registry;
  readiness: Readiness;
  runner: Runner;
  executionLog: ExecutionLog;
}

export class Execute {
  readonly #core: Core;
  readonly #registry: Registry;
  readonly #readiness: Readiness;
  readonly #runner: Runner;
  readonly #executionLog: ExecutionLog;
  readonly #idempotency: Idempotency;

  constructor(core: Core, { registry, readiness, runner, executionLog }: ExecuteParts) {
    this.#core = core;
    this.#registry = registry;
    this.#readiness = readiness;
    this.#runner = runner;
    this.#executionLog = executionLog;
    this.#idempotency = new Idempotency(core);
  }

  /**
   * Runs a tool for a user. A tool that fails is an answer (`success: false`), not an error. Throws
   * `tool_requirements_not_met`: 403 when the user must consent, 400 when the administrator must act; and what
   * `actFor` and the registry throw.
   */
  async execute(
    principal: Principal,
    request: ExecuteTool,
    options: ExecuteOptions = {},
  ): Promise<Execution> {
    const userId = actFor(principal, request.user_id, 403);
    const tool = this.#registry.find(request.tool_name, request.tool_version);
    if (request.run_at !== undefined) throw invalidParameter("run_at: scheduled runs are not served yet.");
    const { idempotencyKey, signal, caller } = options;
    if (idempotencyKey === undefined) return this.#run(principal, userId, tool, request, { signal, caller });
    return this.#idempotency.once(
      {
        projectId: principal.projectId,
        credential: actorOf(principal),
        operation: "tool-execute",
        key: idempotencyKey,
        request: JSON.stringify([tool.fullyQualifiedName, userId, request.input ?? {}]),
      },
      () => this.#run(principal, userId, tool, request, {}),
      () => this.#lost(),
      signal,
    );
  }

  async #run(
    principal: Principal,
    userId: string,
    tool: Tool,
    request: ExecuteTool,
    options: Pick<ExecuteOptions, "signal" | "caller">,
  ): Promise<Execution> {
    const given = request.input ?? {};
    const ready = await this.#readiness.of(principal.projectId, userId, tool, given);
    const started = performance.now();
    const logs = firstLogs(tool);
    const outcome: RunOutcome =
      ready instanceof ToolError ? { error: ready } : await this.#runner.run(ready, given, logs, options);
    if ("error" in outcome && outcome.error instanceof InputNeeded) options.caller?.asks(outcome.error);
    if (ready instanceof ToolError) {
      this.#core.log.warn("refresh failed", { tool: tool.qualifiedName, error: ready });
    }
    const duration = Math.round((performance.now() - started) * 1000) / 1000;
    const output = outputOf(outcome, tool, logs, request.include_error_stacktrace === true);
    const execution = this.#execution("error" in outcome ? "failed" : "completed", duration, output);
    this.#executionLog.add({
      id: execution.id,
      executionId: execution.execution_id,
      projectId: principal.projectId,
      userId,
      actor: actorOf(principal),
      tool: tool.fullyQualifiedName,
      status: "error" in outcome ? "failed" : "completed",
      errorKind: "error" in outcome ? outcome.error.kind : null,
      durationMs: duration,
    });
    return execution;
  }

  /** The answer to a repeat of a run whose process died. */
  #lost(): Execution {
    const error = outcomeUnknown(upstreamFailed("The first run under this Idempotency-Key was cut off."));
    return this.#execution("failed", undefined, { error: toolErrorRecord(error, undefined, false) });
  }

  #execution(
    status: "completed" | "failed",
    duration: number | undefined,
    output: ExecutionOutput,
  ): Execution {
    const { clock, random } = this.#core;
    const now = clock.now();
    return {
      id: newId("te", now, random),
      execution_id: newId("tc", now, random),
      execution_type: "immediate",
      status,
      success: status === "completed",
      ...(duration === undefined ? {} : { duration }),
      finished_at: timestamp(now),
      output,
    };
  }
}

function firstLogs({ definition }: Tool): Logs {
  if (definition.replacement === undefined) return [];
  return [{ level: "warning", subtype: "deprecation", message: deprecationMessage(definition) }];
}

function outputOf(outcome: RunOutcome, tool: Tool, logs: Logs, withStack: boolean): ExecutionOutput {
  const shown = logs.length === 0 ? {} : { logs };
  if (!("error" in outcome)) return { value: outcome.value, ...shown };
  return {
    error: toolErrorRecord(outcome.error, tool, withStack),
    ...(outcome.authorization === undefined ? {} : { authorization: outcome.authorization }),
    ...shown,
  };
}
