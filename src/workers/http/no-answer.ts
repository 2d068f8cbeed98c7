// Calls without an answer in the protocol: whether the tool may have run, and whether the call may be repeated.
import type { EgressError } from "../../egress";
import {
  fatal,
  networkFailureOf,
  outcomeUnknown,
  ToolError,
  type ToolErrorDetails,
  upstreamFailed,
  upstreamRateLimited,
} from "../../tools";
import type { LoadedWorker, WorkerTool } from "../tool";
import type { Call } from "./request";

export interface NoAnswer {
  error: ToolError;
  /** The same call may be sent again at once. */
  mayRepeat: boolean;
}

/** Statuses of proxies whose upstream is away for a moment. */
const PASSING = [502, 503, 504];

export function isRepeatable({ metadata: { behavior } }: WorkerTool): boolean {
  return behavior.read_only || behavior.idempotent;
}

/** The failure of a tool that may have run. */
export function maybeRun(tool: WorkerTool, error: ToolError): ToolError {
  return isRepeatable(tool) ? error : outcomeUnknown(error);
}

/** For a request that failed in the network. */
export function withoutResponse({ worker, tool }: Call, thrown: EgressError): NoAnswer {
  const { error, transient, maybeDone } = networkFailureOf(thrown, tool.upstream);
  const { kind, canRetry, details } = error;
  const failure = new ToolError(kind, canRetry, problemOf(worker, thrown), details);
  return {
    error: maybeDone ? maybeRun(tool, failure) : failure,
    mayRepeat: transient && (!maybeDone || isRepeatable(tool)),
  };
}

/** Models read it, so it has no address of the internal network. */
function problemOf({ id }: LoadedWorker, { reason, message }: EgressError): string {
  switch (reason) {
    case "address_refused":
      // Names the setting that would allow the address.
      return message;
    case "timeout":
      return `The worker ${id} did not answer in time.`;
    case "aborted":
      return `The run ended before the worker ${id} answered.`;
    case "too_large":
      return `The answer of the worker ${id} is larger than this server accepts (egress.max_bytes).`;
    case "redirect_refused":
      return `The worker ${id} answers with a redirect, which is not followed: the call would go elsewhere.`;
    case "not_resolved":
    case "unreachable":
    case "tls":
      return `The worker ${id} cannot be reached.`;
  }
}

/** For a response that is not an answer in the protocol. */
export function byStatus({ worker, tool }: Call, { status, headers }: Response): NoAnswer {
  const said = `The worker ${worker.id} answered with status ${status}`;
  const details = { statusCode: status, ...waitFrom(headers) };
  if (status === 429) return never(upstreamRateLimited(`${said}: too many requests.`, details));
  if (status >= 400 && status < 500) {
    const advice = "An administrator checks it: runtime workers health --help";
    return never(fatal(`${said}, so the tool did not run.`, { statusCode: status, advice }));
  }
  if (status >= 500) {
    const error = maybeRun(tool, upstreamFailed(`${said} and without a result.`, details));
    return { error, mayRepeat: PASSING.includes(status) && isRepeatable(tool) };
  }
  const message = `${said}, but not in the form that workers use.`;
  return never(maybeRun(tool, upstreamFailed(message, { statusCode: 502, canRetry: false })));
}

function never(error: ToolError): NoAnswer {
  return { error, mayRepeat: false };
}

function waitFrom(headers: Headers): Pick<ToolErrorDetails, "retryAfterMs"> {
  const seconds = /^\d{1,5}$/.exec(headers.get("retry-after") ?? "")?.[0];
  return seconds === undefined ? {} : { retryAfterMs: Number(seconds) * 1000 };
}
