// What stands in the place of a run that hooks have stopped.
import { CallRefused, type GuardedOutcome, type Tool, type ToolError } from "../tools";
import type { Verdict } from "./answers";
import type { LoadedHook } from "./chains";

/** Whether the caller may try again: never what would do a write twice. `outcome` undefined: nothing was run. */
function repeatable(tool: Tool, outcome: GuardedOutcome | undefined): boolean {
  if (outcome === undefined) return true;
  if ("error" in outcome) return outcome.error.canRetry;
  const { read_only, idempotent } = tool.definition.metadata.behavior;
  return read_only || idempotent;
}

/** What is known of the run, for who must decide whether to try again. */
function outcomeOf(outcome: GuardedOutcome | undefined): { outcome?: string } {
  if (outcome === undefined) return {};
  if (!("error" in outcome)) return { outcome: "done" };
  const unknown = outcome.error.details.extra?.["outcome"] === "unknown";
  return unknown ? { outcome: "unknown" } : {};
}

/** A hook said no. */
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

/** A hook that must be heard could not be. Nothing of its server is shown; the id leads to the log. */
export function unchecked(hook: LoadedHook, tool: Tool, outcome?: GuardedOutcome): ToolError {
  const done =
    outcome === undefined ? "The tool was not run." : "The tool was run, but its result is held back.";
  return new CallRefused(
    "CONTEXT_CHECK_FAILED",
    repeatable(tool, outcome),
    `Tool execution was stopped, because an extension policy could not be checked. ${done}`,
    {
      developerMessage: `hook ${hook.id} gave no usable answer; the log says why`,
      extra: { hook_point: hook.point, ...outcomeOf(outcome) },
    },
  );
}
