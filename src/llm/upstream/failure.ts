// What a caller is told when the server of a model refuses or fails. Its own words are passed on where they help to mend
// the request; never its pages, and never anything about our credential.
import { isObject, reveal } from "../../base";
import { EgressError } from "../../egress";
import {
  gatewayTimeout,
  internalError,
  invalidParameter,
  malformedRequest,
  rateLimited,
  type RuntimeError,
} from "../../errors";
import type { ModelServer } from "../server-of";

const LONGEST_HINT = 500;

/** What a server answered instead of a completion. */
export interface Refusal {
  status: number;
  retryAfterMs: number | undefined;
  body: unknown;
}

/** The error for an answer whose status is none of success, by its status. */
export function refused(server: ModelServer, { status, retryAfterMs, body }: Refusal): RuntimeError {
  const who = `The server of the model entry "${server.id}"`;
  const hint = hintOf(server, body);
  if (status === 429) {
    return rateLimited(`${who} is limiting requests (429). Try again later.${hint}`, { retryAfterMs });
  }
  if (status === 408 || status === 504) {
    return gatewayTimeout(`${who} did not answer in time (${status}).${hint}`, { retryAfterMs });
  }
  if (status === 401 || status === 402 || status === 403) {
    return internalError(
      `${who} refuses this deployment (${status}). An administrator must check its api_key.`,
    );
  }
  if (status >= 400 && status < 500) {
    return invalidParameter(`${who} refuses the request (${status}).${hint || " It does not say why."}`);
  }
  return internalError(`${who} failed (${status}).${hint} Try again later.`, { retryAfterMs });
}

/** A success whose body is none. */
export function unreadable(server: ModelServer, status: number, what: string): RuntimeError {
  return internalError(`The server of the model entry "${server.id}" answered ${status} with ${what}.`);
}

/** An error that came inside of a stream or of a success. */
export function refusedInside(server: ModelServer, error: unknown): RuntimeError {
  const { code, type, status } = isObject(error) ? error : {};
  const known = [status, code].find((value) => typeof value === "number" && value >= 400 && value < 600);
  const says = (what: RegExp): boolean =>
    [code, type].some((text) => typeof text === "string" && what.test(text));
  const meant = says(/rate_?limit/i) ? 429 : says(/invalid_?request/i) ? 400 : 500;
  const found = typeof known === "number" ? known : meant;
  return refused(server, { status: found, retryAfterMs: undefined, body: { error } });
}

/** No answer, or one that broke. */
export function unanswered(server: ModelServer, thrown: unknown): RuntimeError {
  if (!(thrown instanceof EgressError)) {
    return internalError(`The server of the model entry "${server.id}" could not be asked.`, {
      cause: thrown,
    });
  }
  if (thrown.reason === "aborted") return malformedRequest("The caller was gone before the answer.");
  const message = `Model entry "${server.id}": ${thrown.message}`;
  return thrown.reason === "timeout"
    ? gatewayTimeout(`${message} Setting llm.timeout.`, { cause: thrown })
    : internalError(message, { cause: thrown });
}

/** `Retry-After` in milliseconds: seconds or a date (RFC 9110, section 10.2.3). */
export function retryAfterOf(headers: Headers, now: number): number | undefined {
  const exact = headers.get("retry-after-ms") ?? "";
  if (/^\d{1,9}$/.test(exact)) return Number(exact);
  const text = headers.get("retry-after")?.trim() ?? "";
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

// The server's own sentence. Our key has no business in it, whatever the server thinks.
function hintOf({ apiKey }: ModelServer, body: unknown): string {
  const error = isObject(body) ? (body["error"] ?? body) : undefined;
  const message = typeof error === "string" ? error : isObject(error) ? error["message"] : undefined;
  if (typeof message !== "string" || message.trim() === "") return "";
  const safe = apiKey === undefined ? message : message.replaceAll(reveal(apiKey), "[redacted]");
  return ` It says: ${safe.length > LONGEST_HINT ? `${safe.slice(0, LONGEST_HINT)}…` : safe}`;
}
