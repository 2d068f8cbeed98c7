// Failures of a call at an MCP server, as failures of the tool.
import { isObject, type Json, type JsonObject } from "../../base";
import { EgressError } from "../../egress";
import {
  INVALID_PARAMS,
  METHOD_NOT_FOUND,
  ProtocolError,
  ServerError,
  ServerTimeout,
  StatusError,
  URL_ELICITATION_REQUIRED,
} from "../../mcp";
import {
  badInput,
  fatal,
  GrantDead,
  KeysRefused,
  networkFailureOf,
  networkTimeout,
  outcomeUnknown,
  ScopesLost,
  ToolError,
  type ToolErrorDetails,
  upstreamBadRequest,
  upstreamFailed,
  upstreamNotFound,
  upstreamRateLimited,
  upstreamRefused,
  upstreamUnauthorized,
} from "../../tools";
import { identityAdvice } from "../identity";
import { parseChallenge } from "../oauth";
import { cleanDescription } from "../foreign";
import type { LoadedWorker } from "../tool";

export interface Failed {
  worker: LoadedWorker;
  /** Whether the call was made with a user's token. */
  hasGrant: boolean;
  /** Whether the call may be sent again even if it has run. */
  mayRepeat: boolean;
}

export interface CallFailure {
  error: ToolError;
  /** The same request may succeed at once, and may be sent again. */
  repeats: boolean;
}

const PASSING = [502, 503, 504];
const INTERNAL = -32603;
const LONGEST_WAIT_S = 24 * 60 * 60;
const MOST_DATA = 16_384;

/** Rethrows what is not a failure of the server or of the network. */
export function callFailure(failed: Failed, thrown: unknown): CallFailure {
  if (thrown instanceof EgressError) return unanswered(failed, thrown);
  if (thrown instanceof ServerTimeout) {
    return final(maybeRun(failed, networkTimeout(`${whoOf(failed)}: ${thrown.message}`)));
  }
  if (thrown instanceof StatusError) return byStatus(failed, thrown);
  if (thrown instanceof ServerError) return byError(failed, thrown);
  if (thrown instanceof ProtocolError) {
    const error = upstreamFailed(`${whoOf(failed)}: ${thrown.message}`, { canRetry: false });
    return { error: maybeRun(failed, error), repeats: failed.mayRepeat };
  }
  throw thrown;
}

/** Whether the server refused the token of a call, which it has not performed. */
export function isTokenRefused(thrown: unknown): boolean {
  return thrown instanceof StatusError && thrown.status === 401;
}

function final(error: ToolError): CallFailure {
  return { error, repeats: false };
}

function whoOf({ worker }: Failed): string {
  return `The worker ${worker.id}`;
}

function maybeRun({ mayRepeat }: Failed, error: ToolError): ToolError {
  return mayRepeat ? error : outcomeUnknown(error);
}

function unanswered(failed: Failed, thrown: EgressError): CallFailure {
  const { error, transient, maybeDone } = networkFailureOf(thrown);
  const { kind, canRetry, details } = error;
  const failure = new ToolError(kind, canRetry, `${whoOf(failed)}: ${thrown.message}`, details);
  return {
    error: maybeDone ? maybeRun(failed, failure) : failure,
    repeats: transient && (!maybeDone || failed.mayRepeat),
  };
}

function byStatus(failed: Failed, { status, headers }: StatusError): CallFailure {
  const said = `${whoOf(failed)} answered with status ${status}`;
  if (status === 401) return final(unauthorized(failed));
  if (status === 403) return final(forbidden(failed, headers));
  if (status === 404 || status === 410) {
    return final(upstreamNotFound(`${said}: it is not at this address any more.`, { statusCode: status }));
  }
  if (status === 429) {
    return final(upstreamRateLimited(`${said}: too many requests.`, { ...waitFrom(headers) }));
  }
  if (status >= 500) {
    const error = upstreamFailed(`${said} and without a result.`, {
      statusCode: status,
      ...waitFrom(headers),
    });
    return { error: maybeRun(failed, error), repeats: PASSING.includes(status) && failed.mayRepeat };
  }
  return final(upstreamBadRequest(`${said}, so the tool did not run.`, { statusCode: status }));
}

function unauthorized(failed: Failed): ToolError {
  if (failed.hasGrant) return new GrantDead("401");
  if (failed.worker.userKeys.length > 0) return new KeysRefused(`${whoOf(failed)} refuses the call (401).`);
  const more = identityAdvice(failed.worker);
  return upstreamUnauthorized(`${whoOf(failed)} refuses the credentials of its record.`, {
    advice:
      `An administrator checks its headers and its authorization: runtime workers show ${failed.worker.id}` +
      (more === "" ? "" : `.${more}`),
  });
}

function forbidden(failed: Failed, headers: Headers): ToolError {
  const { error, scopes = [] } = parseChallenge(headers.get("www-authenticate") ?? undefined);
  if (failed.hasGrant && error === "insufficient_scope") return new ScopesLost("insufficient_scope", scopes);
  return upstreamRefused(`${whoOf(failed)} refuses the call (403).`);
}

function waitFrom(headers: Headers): Pick<ToolErrorDetails, "retryAfterMs"> {
  const seconds = Number(/^\d{1,9}$/.exec(headers.get("retry-after") ?? "")?.[0] ?? Number.NaN);
  return seconds <= LONGEST_WAIT_S ? { retryAfterMs: seconds * 1000 } : {};
}

/** A JSON-RPC error. Clients of gateways get it as it is. */
function byError(failed: Failed, error: ServerError): CallFailure {
  const { code, data, status, message } = error;
  const text = cleanDescription(message);
  const said = text === "" ? `${whoOf(failed)} answered with the error ${code}.` : text;
  const details = {
    developerMessage: `JSON-RPC error ${code}`,
    extra: { json_rpc_error: { code, ...shownData(data) } },
    answered: { error: { code, message, ...(data === undefined ? {} : { data }) } },
  };
  if (code === URL_ELICITATION_REQUIRED) return final(urlNeeded(said, data, details));
  if (code === INVALID_PARAMS) return final(badInput(said, details));
  if (code === METHOD_NOT_FOUND) return final(upstreamNotFound(said, details));
  if (code === INTERNAL || status >= 500) {
    return final(maybeRun(failed, upstreamFailed(said, { ...details, canRetry: false })));
  }
  return final(upstreamBadRequest(said, details));
}

function shownData(data: Json | undefined): { data?: Json } {
  return data === undefined || JSON.stringify(data).length > MOST_DATA ? {} : { data };
}

/** Clients that cannot open the addresses by themselves show the text to their users. */
function urlNeeded(said: string, data: Json | undefined, details: ToolErrorDetails): ToolError {
  const asked: unknown[] = isObject(data) && Array.isArray(data["elicitations"]) ? data["elicitations"] : [];
  const addresses = asked
    .filter((one): one is JsonObject => isObject(one))
    .map(
      ({ url, message }) =>
        `${typeof message === "string" ? cleanDescription(message) : "Open"}: ${addressOf(url)}`,
    );
  return fatal([said, ...addresses.slice(0, 10)].join("\n"), { ...details, canRetry: true, statusCode: 403 });
}

function addressOf(value: unknown): string {
  const url = typeof value === "string" ? URL.parse(value) : null;
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : "(not an address)";
}

function saysUnknownTool(text: string): boolean {
  return text.includes("unknown tool") || (text.includes("tool ") && text.includes("not found"));
}

/** Whether an error says that the server does not have the tool. */
export function isUnknownTool(thrown: unknown): boolean {
  if (!(thrown instanceof ServerError)) return false;
  const { code, message } = thrown;
  return code === METHOD_NOT_FOUND || (code === INVALID_PARAMS && saysUnknownTool(message.toLowerCase()));
}
