// The errors of calls that hooks have stopped.
import { CallRefused, type GuardedOutcome, type Tool, type ToolError } from "../tools";
import type { Verdict } from "./answers";
import type { LoadedHook } from "./chains";

/** Whether the caller may retry, which must not repeat a write. `outcome` undefined: the tool was not run. */
function repeatable(tool: Tool, outcome: GuardedOutcome | undefined): boolean {
  if (outcome === undefined) return true;
  if ("error" in outcome) return outcome.error.canRetry;
  const { read_only, idempotent } = tool.definition.metadata.behavior;
  return read_only || idempotent;
}

/** The known outcome of the run, so that the caller can decide whether to retry. */
function outcomeOf(outcome: GuardedOutcome | undefined): { outcome?: string } {
  if (outcome === undefined) return {};
  if (!("error" in outcome)) return { outcome: "done" };
  const unknown = outcome.error.details.extra?.["outcome"] === "unknown";
  return unknown ? { outcome: "unknown" } : {};
}

/** The error for a denial. */
export function denied({ code, errorMessage }: Verdict, tool: Tool, outcome?: GuardedOutcome): ToolError {
  const known = outcomeOf(outcome);
  const why = errorMessage === undefined ? "." : `: ${errorMessage}`;
  return new CallRefused(
    "CONTEXT_DENIED",
    code === "RATE_LIMIT_EXCEEDED" && repeatable(tool, outcome),
    `Tool execution was denied by an extension policy${why}`,
    {
      ...(errorMessage === undefined ? {} : { developerMessage: errorMessage }),
      ...(Object.keys(known).length === 0 ? {} : { extra: known }),
    },
  );
}

/**
 * The error for a hook that gave no usable answer, without a run if the tool was not run. It contains no details of the
 * webhook; the log has them.
 */
export function unchecked(hook: LoadedHook, run?: { tool: Tool; outcome: GuardedOutcome }): ToolError {
  const done = run === undefined ? "The tool was not run." : "The tool was run, but its result is withheld.";
  return new CallRefused(
    "CONTEXT_CHECK_FAILED",
    run === undefined || repeatable(run.tool, run.outcome),
    `Tool execution was stopped, because an extension policy could not be checked. ${done}`,
    {
      developerMessage: `hook ${hook.id} gave no usable answer; the log has the reason`,
      extra: { hook_point: hook.point, ...outcomeOf(run?.outcome) },
    },
  );
}

/** The error for a hook that changes the inputs of the tool that replaces the called one. */
export function changedAsReplacement(tool: Tool, as: Tool): ToolError {
  const message =
    `Tool execution was stopped: an extension policy changes the inputs of ${as.qualifiedName}, which replaces ` +
    `${tool.qualifiedName}. Call ${as.qualifiedName} instead. The tool was not run.`;
  return new CallRefused("CONTEXT_DENIED", false, message);
}
