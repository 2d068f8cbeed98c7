// The outcome of an attempt of a scheduled run: the run ends or is retried.
import { RuntimeError } from "../../errors";
import { toolErrorRecord } from "../failure";
import type { Tool } from "../registry";
import type { Execution, ExecutionOutput } from "../schema";
import { outcomeUnknown, ToolError, upstreamFailed } from "../tool-error";

/** The end of an attempt: the output of the tool, or the reason why there is none. */
export interface Ended {
  success: boolean;
  output: ExecutionOutput | undefined;
  systemError: string | undefined;
}

const MAX_ATTEMPTS = 3;
/** Time between attempts, ms. */
const SPACING_MS = [10_000, 60_000];

export const CUT_OFF = "The server was stopped while the tool ran.";
const UNKNOWN = `${CUT_OFF} Whether it was done is unknown: check before trying again.`;

export function endedWith({ success, output }: Execution): Ended {
  return { success, output, systemError: undefined };
}

/** The end for an error before the tool ran. */
export function endedBy(error: unknown, tool: Tool | undefined): Ended {
  if (!(error instanceof RuntimeError) || error.status >= 500) {
    const systemError = "The server failed to run the tool. Its log has the reason.";
    return { success: false, output: undefined, systemError };
  }
  if (error.name !== "tool_requirements_not_met") return refusedBecause(error.message);
  const failure = new ToolError("TOOL_REQUIREMENTS_NOT_MET", false, error.message, {
    statusCode: error.status,
  });
  return { success: false, output: { error: toolErrorRecord(failure, tool, false) }, systemError: undefined };
}

/** The end of a run whose output cannot be stored. It is not repeated: the tool may have had its effect. */
export const UNSEALED: Ended = {
  success: false,
  output: undefined,
  systemError: "The output of this run cannot be encrypted. The server's log has the reason.",
};

export const UNOPENED = "The input of this run cannot be decrypted. The server's log has the reason.";

/** Why a run is refused whose caller would be refused now. */
export const KEY_ENDED = "The API key that scheduled this run was revoked or has expired.";
export const GRANT_ENDED =
  "What the user had allowed the client that scheduled this run was revoked, or the user can no longer sign in.";

export function refusedBecause(reason: string): Ended {
  return { success: false, output: undefined, systemError: reason };
}

/** The end of a run that must not be repeated after its holder died. */
export function endedUnknown(tool: Tool | undefined): Ended {
  const error = outcomeUnknown(upstreamFailed(CUT_OFF));
  return {
    success: false,
    output: { error: toolErrorRecord(error, tool, false) },
    systemError: UNKNOWN,
  };
}

/** Time until the next attempt, ms; undefined if there is none. */
export function pauseBefore({ success, output }: Ended, attempts: number): number | undefined {
  const spacing = SPACING_MS[attempts - 1];
  const error = output?.error;
  if (success || spacing === undefined || attempts >= MAX_ATTEMPTS || error === undefined) return undefined;
  // Only another input could succeed.
  if (!error.can_retry || error.kind === "TOOL_RUNTIME_RETRY") return undefined;
  // A run with an unknown outcome must not be repeated automatically.
  if (error.extra?.["outcome"] === "unknown") return undefined;
  return Math.max(spacing, error.retry_after_ms ?? 0);
}

/** Whether an interrupted run may be retried, because it has the same effect if it is done twice. */
export function mayRepeat(tool: Tool | undefined, attempts: number): boolean {
  if (tool === undefined || attempts >= MAX_ATTEMPTS) return false;
  const { read_only, idempotent } = tool.definition.metadata.behavior;
  return read_only || idempotent;
}
