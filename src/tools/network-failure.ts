// Requests that got no answer, as the failures of tools: one mapping for all catalogs and for what a tool did not catch.
import { EgressError } from "../egress";
import { fatal, networkTimeout, networkUnreachable, ToolError, upstreamFailed } from "./tool-error";

export interface NetworkFailure {
  error: ToolError;
  /** It may pass by itself: the same request, if it may be sent again, can fare better at once. */
  passing: boolean;
  /** The request may have reached the platform and been done. */
  maybeDone: boolean;
}

const PASSING: readonly EgressError["reason"][] = ["not_resolved", "unreachable", "timeout"];

/**
 * What a thrown `EgressError` means to the caller. Anything else is a fault of ours and is thrown on.
 *
 * @param method the platform's method, for the log
 */
export function networkFailureOf(thrown: unknown, method?: string): NetworkFailure {
  if (!(thrown instanceof EgressError)) throw thrown;
  const said = method === undefined ? {} : { developerMessage: `${method}: ${thrown.reason}` };
  return {
    error: errorFor(thrown, { ...said, cause: thrown }),
    passing: PASSING.includes(thrown.reason),
    maybeDone: thrown.maybeSent,
  };
}

/** Whether a tool's error stems from a request that ended for this reason. */
export function endedBecause(error: unknown, reason: EgressError["reason"]): boolean {
  return error instanceof ToolError && error.cause instanceof EgressError && error.cause.reason === reason;
}

function errorFor(thrown: EgressError, details: { developerMessage?: string; cause: unknown }): ToolError {
  switch (thrown.reason) {
    case "address_refused":
      // The message names the setting that would allow the address.
      return fatal(thrown.message, details);
    case "not_resolved":
    case "unreachable":
    case "tls":
      return networkUnreachable("The platform cannot be reached.", details);
    case "timeout":
      return networkTimeout("The platform did not answer in time.", details);
    case "aborted":
      return networkTimeout("The run ended before the platform answered.", details);
    case "too_large":
    case "redirect_refused":
      return upstreamFailed(`The platform's answer is of no use (${thrown.reason}).`, {
        ...details,
        canRetry: false,
      });
  }
}
