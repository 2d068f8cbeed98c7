// Requests that got no answer.
import { EgressError } from "../../../src/egress";
import { fatal, networkTimeout, networkUnreachable, ToolError, upstreamFailed } from "../../../src/tools";
import type { Call } from "./call";
import type { Failure } from "./failure";

/** What a thrown `EgressError` means to the caller. Anything else is a fault of ours and is thrown on. */
export function failureWithoutAnswer(call: Call, thrown: unknown): Failure {
  if (!(thrown instanceof EgressError)) throw thrown;
  const passing = ["not_resolved", "unreachable", "timeout"].includes(thrown.reason);
  return {
    error: errorFor(thrown, { developerMessage: `${call.method}: ${thrown.reason}`, cause: thrown }),
    again: passing,
    maybeDone: thrown.maybeSent,
  };
}

/** Whether the answer was larger than may be read. */
export function wasTooLarge(error: unknown): boolean {
  return (
    error instanceof ToolError && error.cause instanceof EgressError && error.cause.reason === "too_large"
  );
}

function errorFor(thrown: EgressError, details: { developerMessage: string; cause: unknown }): ToolError {
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
