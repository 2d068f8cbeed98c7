// What a run would do, without running it: nothing is sent, stored, refreshed or logged.
import { timestamp } from "../base";
import type { Core } from "../core";
import { newId } from "../crypto";
import type { Principal } from "../identity";
import { toolErrorRecord } from "./failure";
import { judgeInput } from "./input";
import type { Guard, ToolPolicy } from "./policy";
import type { Tool } from "./registry";
import { type Requirements, requirementsRecord } from "./requirements";
import { instantOf } from "./schedule/run-at";
import type { DryRunReport, ExecuteTool, Execution } from "./schema";
import { ToolError } from "./tool-error";

interface Parts {
  core: Core;
  requirements: Requirements;
  policy: ToolPolicy;
  /** `Suspensions.actFor` */
  actFor(principal: Principal, userId: string | undefined): Promise<string>;
  /** `Tools.find` */
  find(principal: Principal, userId: string | undefined, name: string, version?: string): Promise<Tool>;
}

const NO_REQUIREMENTS = { met: true, authorization: undefined, keys: [], secrets: [] };

export class DryRun {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * An execution whose output is a `DryRunReport`; `success` says whether the run would begin. A caller with an API key may
   * know every tool, so access hooks are only named; for a user's own token they decide as in every listing. Throws
   * `tool_not_found`, and what `instantOf` and `Suspensions.actFor` throw.
   */
  async execute(principal: Principal, request: ExecuteTool): Promise<Execution> {
    const { core, requirements, policy, actFor, find } = this.#parts;
    const { projectId } = principal;
    const userId = await actFor(principal, request.user_id);
    const shownTo = principal.kind === "user" ? userId : undefined;
    const tool = await find(principal, shownTo, request.tool_name, request.tool_version);
    const runAt = request.run_at === undefined ? undefined : instantOf(request.run_at);
    const given = request.input ?? {};
    const input = await judgeInput(tool.definition, given);
    // The caller's input is JSON; the definition only reads it.
    const waives = tool.definition.waivesRequirements?.(given as never) === true;
    const state = waives ? NO_REQUIREMENTS : await requirements.of(projectId, userId, tool);
    const guard = await policy.guardOf(projectId);
    const would_run = state.met && !(input instanceof ToolError);
    const report: DryRunReport = {
      dry_run: true,
      would_run,
      tool: tool.fullyQualifiedName,
      ...(tool.catalog.worker === undefined ? {} : { worker: tool.catalog.worker.id }),
      ...(input instanceof ToolError ? {} : { input }),
      requirements: requirementsRecord(state, userId),
      hooks: hooksOf(guard, tool),
      repeats: repeatsOf(tool),
      ...(runAt === undefined ? {} : { run_at: timestamp(runAt) }),
    };
    const now = core.clock.now();
    const id = newId("te", now, core.random);
    return {
      id,
      execution_id: `tc${id.slice(2)}`,
      execution_type: runAt === undefined ? "immediate" : "scheduled",
      status: would_run ? "completed" : "failed",
      success: would_run,
      finished_at: timestamp(now),
      output: {
        value: report,
        ...(input instanceof ToolError ? { error: toolErrorRecord(input, tool, false) } : {}),
      },
    };
  }
}

function hooksOf(guard: Guard | undefined, tool: Tool): DryRunReport["hooks"] {
  return (guard?.asked(tool) ?? []).map(({ hookId, point, failureMode }) => ({
    id: hookId,
    hook_point: point,
    failure_mode: failureMode,
  }));
}

function repeatsOf({ definition }: Tool): DryRunReport["repeats"] {
  const { read_only, idempotent } = definition.metadata.behavior;
  return read_only || idempotent ? "safe" : "never_after_effect";
}
