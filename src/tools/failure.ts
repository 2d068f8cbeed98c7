// Failures of a run as the record that callers get.
import { EgressError } from "../egress";
import { networkFailureOf } from "./network-failure";
import type { Tool } from "./registry";
import type { ToolErrorRecord } from "./schema";
import { CallRefused, fatal, outcomeUnknown, ToolError } from "./tool-error";

/** Anything a tool threw that is no `ToolError`: a network failure it did not handle, or a fault of ours. */
export function failureOf(error: unknown, { definition }: Tool): ToolError {
  if (!(error instanceof EgressError)) {
    return fatal("The tool failed for a reason of its own.", { cause: error });
  }
  const { error: failure, maybeDone } = networkFailureOf(error);
  // What only reads has done nothing that could be done twice.
  return maybeDone && !definition.metadata.behavior.read_only ? outcomeUnknown(failure) : failure;
}

/** The record of a failure. `tool` undefined: the failure is not of a run. */
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
    ...optional("additional_prompt_content", details.additionalPromptContent),
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
