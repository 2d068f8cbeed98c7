// From what the platform answered to how a tool fails. Kinds of error are decided here, nowhere else in this catalog.
import {
  fatal,
  GrantDead,
  retryableInput,
  ScopesLost,
  ToolError,
  type ToolErrorDetails,
  upstreamBadRequest,
  upstreamFailed,
  upstreamNotFound,
  upstreamRefused,
  upstreamUnauthorized,
  upstreamUnmapped,
} from "../../../src/tools";
import { MINUTE_MS } from "../limits";
import type { Call } from "./call";
import type { Answer } from "../../upstream/exchange";
import { type Failure, final, rateLimitReached } from "../../upstream/retry";
import { meaningOf, type RangeTrouble, rangeTroubleIn, type Refusal, refusalIn } from "./refusal";

export const PICKER = "Sheets.GenerateGoogleFilePickerUrl";

/** Undefined when the answer is a success: 2xx and a JSON object. */
export function failureOf(call: Call, answer: Answer): Failure | undefined {
  const { status, body } = answer;
  if (status >= 200 && status < 300) {
    return body === undefined ? transient(call, answer, "a body that is no answer") : undefined;
  }
  if (status >= 500) return transient(call, answer, `HTTP ${status}`);
  const refusal = refusalIn(answer);
  const isOverQuota = status === 429 || (status === 403 && meaningOf(refusal) === "quota");
  return isOverQuota ? overQuota(call, answer, refusal) : final(refused(call, refusal));
}

/** The user's calls of a minute are used up for so long. */
export function rateLimited(method: string, retryAfterMs: number, message?: string): ToolError {
  return rateLimitReached(`${method}: rate limit`, retryAfterMs, message);
}

/** What is wrong with the range, when a call failed for that. */
export function rangeTroubleOf(error: unknown): RangeTrouble | undefined {
  const problem = error instanceof ToolError ? error.details.extra?.["problem"] : undefined;
  return problem === "unknown_range" || problem === "outside_grid" || problem === "too_many_cells"
    ? problem
    : undefined;
}

function refused(call: Call, refusal: Refusal): ToolError {
  const { status } = refusal;
  const details = { developerMessage: [call.method, status, ...refusal.reasons].join(" ") };
  switch (status) {
    case 400:
      return badRequest(refusal, details);
    case 401:
      return new GrantDead(details.developerMessage);
    case 403:
      return forbidden(call, refusal, details);
    case 404:
      return notFound(call, refusal, details);
    default:
      return status < 500 && refusal.message !== undefined
        ? upstreamBadRequest(refusal.message, { ...details, statusCode: status })
        : upstreamUnmapped(`The platform answered with HTTP ${status}.`, {
            ...details,
            statusCode: 502,
          });
  }
}

function badRequest(refusal: Refusal, details: ToolErrorDetails): ToolError {
  if (refusal.locations.includes("pageToken")) {
    return retryableInput("The `pagination_token` is not valid any more, or not for this search.", {
      ...details,
      additionalPromptContent: "Start the search again without `pagination_token`.",
    });
  }
  const problem = rangeTroubleIn(refusal.message);
  return upstreamBadRequest(refusal.message ?? "The platform does not accept the request.", {
    ...details,
    ...(problem === undefined ? {} : { extra: { problem } }),
  });
}

function forbidden(call: Call, refusal: Refusal, details: ToolErrorDetails): ToolError {
  const { message } = refusal;
  const meaning = meaningOf(refusal);
  if (meaning === "disabled") {
    const hint =
      "An interface of the platform is switched off for this application: its operator must switch it on.";
    return fatal(`${hint} ${message ?? ""}`.trim(), details);
  }
  if (meaning === "scope") {
    return call.scopes.length > 0
      ? new ScopesLost(details.developerMessage ?? "", call.scopes)
      : upstreamUnauthorized(message ?? "The user's grant does not cover this.", {
          ...details,
          statusCode: 403,
        });
  }
  return meaning === "file" || call.ofFile === true
    ? unreachable(upstreamUnauthorized, refusal, { ...details, statusCode: 403 })
    : upstreamRefused(message ?? "The platform refuses this.", details);
}

function notFound(call: Call, refusal: Refusal, details: ToolErrorDetails): ToolError {
  return call.ofFile === true
    ? unreachable(upstreamNotFound, refusal, details)
    : upstreamNotFound(refusal.message ?? "The platform does not find it.", details);
}

// Both look alike to an application that sees only the files that were opened with it.
const UNREACHABLE =
  "The spreadsheet may not exist, may not be shared with the user, or may not have been opened through this " +
  `application: ${PICKER} makes a link with which the user can pick it.`;

const OFFER =
  `Check the id. If it is right, call ${PICKER}, give the user the link, and call this tool again when the user has ` +
  "picked the spreadsheet.";

function unreachable(fail: typeof upstreamNotFound, refusal: Refusal, details: ToolErrorDetails): ToolError {
  const message = `${UNREACHABLE} ${quoted(refusal)}`.trim();
  return fail(message, { ...details, additionalPromptContent: OFFER });
}

function quoted({ message }: Refusal): string {
  return message === undefined ? "" : `The platform says: ${message}`;
}

function overQuota(call: Call, answer: Answer, { message }: Refusal): Failure {
  const error = rateLimited(call.method, answer.retryAfterMs ?? MINUTE_MS, message);
  return { error, again: "later", maybeDone: false, retryAfterMs: answer.retryAfterMs };
}

function transient(call: Call, answer: Answer, what: string): Failure {
  const said = quoted(refusalIn(answer));
  const error = upstreamFailed(`The platform could not do this now (${what}). ${said}`.trim(), {
    developerMessage: `${call.method}: ${what}`,
    ...(answer.retryAfterMs === undefined ? {} : { retryAfterMs: answer.retryAfterMs }),
  });
  return { error, again: "later", maybeDone: true, retryAfterMs: answer.retryAfterMs };
}
