// What becomes of a scheduled run after an attempt: it ends, or it is tried again.
import { RuntimeError } from "../../errors";
import { toolErrorRecord } from "../failure";
import type { Tool } from "../registry";
import type { Execution, ExecutionOutput } from "../schema";
import { outcomeUnknown, ToolError, upstreamFailed } from "../tool-error";

/** How an attempt ended: with what the tool gave, or with the reason why nothing is known of that. */
export interface Ended {
  success: boolean;
  output: ExecutionOutput | undefined;
  systemError: string | undefined;
}

const MOST_ATTEMPTS = 3;
/** From one attempt to the next, ms. */
const SPACING_MS = [10_000, 60_000];

export const CUT_OFF = "The server was stopped while the tool ran.";
const UNKNOWN = `${CUT_OFF} Whether it was done is unknown: check before trying again.`;

export function endedWith({ success, output }: Execution): Ended {
  return { success, output, systemError: undefined };
}

/** What the path of all tools refuses before anything runs. */
export function endedBy(error: unknown, tool: Tool | undefined): Ended {
  if (!(error instanceof RuntimeError) || error.status >= 500) {
    const systemError = "The server failed to do this. The log has the reason.";
    return { success: false, output: undefined, systemError };
  }
  if (error.name !== "tool_requirements_not_met") return refusedBecause(error.message);
  const failure = new ToolError("TOOL_REQUIREMENTS_NOT_MET", false, error.message, {
    statusCode: error.status,
  });
  return { success: false, output: { error: toolErrorRecord(failure, tool, false) }, systemError: undefined };
}

export function refusedBecause(reason: string): Ended {
  return { success: false, output: undefined, systemError: reason };
}

/** Of a run that must not be repeated after its holder died. */
export function endedUnknown(tool: Tool | undefined): Ended {
  const error = outcomeUnknown(upstreamFailed(CUT_OFF));
  return {
    success: false,
    output: { error: toolErrorRecord(error, tool, false) },
    systemError: UNKNOWN,
  };
}

/** How long until the next attempt, ms; undefined when there is none. */
export function pauseBefore({ success, output }: Ended, attempts: number): number | undefined {
  const spacing = SPACING_MS[attempts - 1];
  const error = output?.error;
  if (success || spacing === undefined || attempts >= MOST_ATTEMPTS || error === undefined) return undefined;
  // Another input might help, the same one will not.
  if (!error.can_retry || error.kind === "TOOL_RUNTIME_RETRY") return undefined;
  // A tool that may be repeated by itself says that its outcome is not unknown.
  if (error.extra?.["outcome"] === "unknown") return undefined;
  return Math.max(spacing, error.retry_after_ms ?? 0);
}

/** Whether a run that was cut off may be tried again: doing it twice does no more than doing it once. */
export function mayRepeat(tool: Tool | undefined, attempts: number): boolean {
  if (tool === undefined || attempts >= MOST_ATTEMPTS) return false;
  const { read_only, idempotent } = tool.definition.metadata.behavior;
  return read_only || idempotent;
}
