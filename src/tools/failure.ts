// Converts failures of a run to the record that callers get.
import { EgressError } from "../egress";
import type { Tool } from "./registry";
import type { ToolErrorRecord } from "./schema";
import {
  CallRefused,
  fatal,
  networkTimeout,
  networkUnreachable,
  nextStepOf,
  outcomeUnknown,
  ToolError,
  upstreamFailed,
} from "./tool-error";

/** The error for an exception that is not a `ToolError`: an unhandled network failure or a bug. */
export function failureOf(error: unknown, { definition }: Tool): ToolError {
  if (!(error instanceof EgressError)) {
    return fatal("The tool failed because of an internal error.", { cause: error });
  }
  const { error: failure, maybeDone } = networkFailureOf(error);
  // A tool that only reads can always be repeated.
  return maybeDone && !definition.metadata.behavior.read_only ? outcomeUnknown(failure) : failure;
}

/** The record of a failure. `tool` is undefined if the failure does not belong to a run. */
export function toolErrorRecord(
  error: ToolError,
  tool: Tool | undefined,
  withStack: boolean,
): ToolErrorRecord {
  const { details } = error;
  const ofRun = !(error instanceof CallRefused);
  const place = tool === undefined ? "" : ` during execution of tool '${tool.qualifiedName}'`;
  return {
    message: ofRun ? `[${error.kind}] ${error.name}${place}: ${error.message}` : error.message,
    kind: error.kind,
    can_retry: error.canRetry,
    ...optional("developer_message", details.developerMessage),
    ...optional("additional_prompt_content", ofRun ? nextStepOf(error) : details.additionalPromptContent),
    ...optional("retry_after_ms", details.retryAfterMs),
    ...optional("status_code", details.statusCode),
    ...optional("stacktrace", withStack ? error.stack : undefined),
    ...optional("extra", details.extra),
  };
}

function optional<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  // One known key with its own value type.
  return (value === undefined ? {} : { [key]: value }) as { [P in K]?: V };
}

/** A request without an answer, as the failure of a tool. */
interface NetworkFailure {
  error: ToolError;
  /** The same request may succeed at once, if it may be sent again. */
  transient: boolean;
  /** The platform may have received and performed the request. */
  maybeDone: boolean;
}

const TRANSIENT: readonly EgressError["reason"][] = ["not_resolved", "unreachable", "timeout"];

/**
 * Converts an `EgressError` to the failure of a tool. Rethrows all other exceptions.
 *
 * @param method the platform's method, for the log
 */
export function networkFailureOf(thrown: unknown, method?: string): NetworkFailure {
  if (!(thrown instanceof EgressError)) throw thrown;
  const developer = method === undefined ? {} : { developerMessage: `${method}: ${thrown.reason}` };
  return {
    error: errorFor(thrown, { ...developer, cause: thrown }),
    transient: TRANSIENT.includes(thrown.reason),
    maybeDone: thrown.maybeSent,
  };
}

/** Whether a request that ended for this reason caused the error. */
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
      return upstreamFailed(`The platform's answer cannot be used (${thrown.reason}).`, {
        ...details,
        canRetry: false,
      });
  }
}
