// Errors for the caller if a model server refuses or fails. They contain the server's message if it helps to correct the
// request, but never HTML pages and never the credential of this deployment.
import { isObject, type Redacted, reveal } from "../../base";
import { EgressError, retryAfterIn } from "../../egress";
import {
  gatewayTimeout,
  internalError,
  invalidParameter,
  malformedRequest,
  rateLimited,
  type RuntimeError,
} from "../../errors";
import type { ModelServer } from "../server-of";
import { messageIn } from "../stream/error-record";
import type { StreamFaults } from "../stream/reader";

const MAX_HINT = 500;

/** The answer of a server instead of a completion. */
export interface Refusal {
  status: number;
  retryAfterMs: number | undefined;
  body: unknown;
}

/** The error for an unsuccessful status. */
export function refused(server: ModelServer, { status, retryAfterMs, body }: Refusal): RuntimeError {
  const subject = `The server of the model entry "${server.id}"`;
  const hint = hintOf(server, body);
  if (status === 429) {
    return rateLimited(`${subject} limits requests (429). Try again later.${hint}`, { retryAfterMs });
  }
  if (status === 408 || status === 504) {
    return gatewayTimeout(`${subject} did not answer in time (${status}).${hint}`, { retryAfterMs });
  }
  if (status === 401 || status === 402 || status === 403) {
    return internalError(
      `${subject} refused the credential of this deployment (${status}). An administrator must check its api_key.`,
    );
  }
  if (status >= 400 && status < 500) {
    return invalidParameter(`${subject} refused the request (${status}).${hint || " It gave no reason."}`);
  }
  return internalError(`${subject} failed (${status}).${hint} Try again later.`, { retryAfterMs });
}

/** The error for a success with an unusable body. */
export function unreadable(server: ModelServer, status: number, what: string): RuntimeError {
  return internalError(`The server of the model entry "${server.id}" answered ${status} with ${what}.`);
}

/** The error for an error object inside a stream or a successful answer. */
export function refusedInside(server: ModelServer, error: unknown): RuntimeError {
  const { code, type, status, status_code: other } = isObject(error) ? error : {};
  const known = [status, code, other].map(Number).find((value) => value >= 400 && value < 600);
  const matches = (pattern: RegExp): boolean =>
    [code, type].some((text) => typeof text === "string" && pattern.test(text));
  const guessed = KINDS.find(([pattern]) => matches(pattern))?.[1] ?? 500;
  return refused(server, { status: known ?? guessed, retryAfterMs: undefined, body: { error } });
}

/** Statuses of the kinds of errors that servers name. */
const KINDS: readonly [RegExp, number][] = [
  [/rate_?limit|too_?many/i, 429],
  [/invalid_?request|bad_?request/i, 400],
  [/authentication|permission/i, 401],
  [/time_?out/i, 504],
];

/** The errors for a stream of a server. */
export function faultsOf(server: ModelServer): StreamFaults {
  return {
    refused: (error) => refusedInside(server, error),
    unreadable: (what) => unreadable(server, 200, what),
  };
}

/** The error for a request without an answer or with an interrupted one. */
export function unanswered(server: ModelServer, thrown: unknown): RuntimeError {
  if (!(thrown instanceof EgressError)) {
    return internalError(`The server of the model entry "${server.id}" could not be called.`, {
      cause: thrown,
    });
  }
  if (thrown.reason === "aborted") return malformedRequest("The caller disconnected before the answer.");
  const message = `Model entry "${server.id}": ${thrown.message}`;
  return thrown.reason === "timeout"
    ? gatewayTimeout(`${message} The setting llm.timeout is the limit.`, { cause: thrown })
    : internalError(message, { cause: thrown });
}

/** `Retry-After` in milliseconds: seconds or a date (RFC 9110, section 10.2.3). */
export function retryAfterOf(headers: Headers, now: number): number | undefined {
  const exact = headers.get("retry-after-ms") ?? "";
  if (/^\d{1,9}$/.test(exact)) return Number(exact);
  return retryAfterIn(headers, now);
}

// The message of the server, with our key removed in case the server repeats it.
function hintOf({ apiKey }: ModelServer, body: unknown): string {
  const error = isObject(body) ? (body["error"] ?? body) : undefined;
  const message = messageIn(error);
  if (message === undefined || message.trim() === "") return "";
  const safe = apiKey === undefined ? message : withoutKey(message, apiKey);
  return ` Its message: ${safe.length > MAX_HINT ? `${safe.slice(0, MAX_HINT).toWellFormed()}…` : safe}`;
}

/** A shorter key may be a word, such as the placeholders of servers without keys. */
const SHORTEST_KEY = 8;
/** A longer one never is, so it is removed inside of words as well. */
const LONG_KEY = 20;

function withoutKey(message: string, apiKey: Redacted): string {
  const key = reveal(apiKey);
  if (key.length < SHORTEST_KEY) return message;
  if (key.length >= LONG_KEY) return message.replaceAll(key, "[redacted]");
  const whole = new RegExp(`(?<![\\p{L}\\p{N}_-])${RegExp.escape(key)}(?![\\p{L}\\p{N}_-])`, "gu");
  return message.replaceAll(whole, "[redacted]");
}
