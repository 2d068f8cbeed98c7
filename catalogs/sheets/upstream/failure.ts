// Maps the answers of the platform to tool errors. Only this file chooses kinds of errors in this catalog.
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
import { reasonOf } from "./reasons";
import { type Problem, problemIn, type Refusal, refusalIn } from "./refusal";

export const PICKER = "Sheets.GenerateGoogleFilePickerUrl";

/** Undefined for a success: 2xx with a JSON object. */
export function failureOf(call: Call, answer: Answer): Failure | undefined {
  const { status, body } = answer;
  if (status >= 200 && status < 300) {
    return body === undefined ? transient(call, answer, "an invalid body") : undefined;
  }
  if (status >= 500) return transient(call, answer, `HTTP ${status}`);
  if (body === undefined && FOREIGN.has(status)) return final(foreign(call, status));
  const refusal = refusalIn(answer);
  const isOverQuota = status === 429 || (status === 403 && reasonOf(refusal.reasons)?.meaning === "quota");
  return isOverQuota ? overQuota(call, answer, refusal) : final(refused(call, refusal));
}

/** The error for a user who has no calls left for this time. */
export function rateLimited(method: string, retryAfterMs: number, message?: string): ToolError {
  return rateLimitReached(`${method}: rate limit`, retryAfterMs, message);
}

/** The problem of a refused call, if the platform named one. */
export function problemOf(error: unknown): Problem | undefined {
  const problem = error instanceof ToolError ? error.details.extra?.["problem"] : undefined;
  return PROBLEMS.find((known) => known === problem);
}

const PROBLEMS: readonly Problem[] = [
  "unknown_range",
  "outside_grid",
  "too_many_cells",
  "office_file",
  "permission",
];

/** Statuses that the platform always explains in a JSON body. */
const FOREIGN: ReadonlySet<number> = new Set([403, 404]);

/** A proxy, or a server at a wrong address, has answered: nothing is known about the file. */
function foreign(call: Call, status: number): ToolError {
  return upstreamFailed(
    `The answer to ${call.path} is not the platform's (HTTP ${status} without its JSON). A proxy or a wrong address may be ` +
      "the reason.",
    {
      canRetry: false,
      developerMessage: `${call.method}: HTTP ${status} without JSON`,
      additionalPromptContent: "Tell the user. The spreadsheet and its id are not the reason.",
    },
  );
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
    return retryableInput("The `pagination_token` has expired or belongs to another search.", {
      ...details,
      additionalPromptContent: "Call again without `pagination_token`.",
    });
  }
  const problem = problemIn(refusal);
  const more = { ...details, ...(problem === undefined ? {} : { extra: { problem } }) };
  return problem === "office_file"
    ? upstreamBadRequest(`${OFFICE_FILE} ${quoted(refusal)}`.trim(), {
        ...more,
        additionalPromptContent: SAVE_AS,
      })
    : upstreamBadRequest(refusal.message ?? "The platform refused the request.", more);
}

const OFFICE_FILE =
  "This is an Excel file. It opens in the browser, but the tools can only use native spreadsheets. In Google Sheets, " +
  "choose File > Save as Google Sheets, and use the new spreadsheet.";

const SAVE_AS =
  "Ask the user to save the file as a native spreadsheet (File > Save as Google Sheets) and to give you the address of the " +
  `new one. If it is then not found, ${PICKER} lets the user pick it.`;

function forbidden(call: Call, refusal: Refusal, details: ToolErrorDetails): ToolError {
  const { message } = refusal;
  const { meaning, sentence = "", next: additionalPromptContent = "" } = reasonOf(refusal.reasons) ?? {};
  const told = { ...details, additionalPromptContent };
  if (meaning === "disabled") {
    return fatal(`${sentence} Its operator must change this. ${message ?? ""}`.trim(), told);
  }
  if (meaning === "organization" || meaning === "full") {
    return upstreamRefused(`${sentence} ${quoted(refusal)}`.trim(), told);
  }
  if (meaning === "scope") {
    return call.scopes.length > 0
      ? new ScopesLost(details.developerMessage ?? "", call.scopes)
      : upstreamUnauthorized(message ?? "The user's grant does not cover this.", {
          ...details,
          statusCode: 403,
        });
  }
  if (meaning !== "file" && call.ofFile !== true)
    return upstreamRefused(message ?? "The platform refused this.", details);
  return unreachable(upstreamUnauthorized, refusal, {
    ...details,
    statusCode: 403,
    ...(mayBeViewed(call, refusal) ? { extra: { problem: "permission" } } : {}),
  });
}

/** Whether the reason may be that the user may view the file but not edit it. */
function mayBeViewed({ quota }: Call, { reasons }: Refusal): boolean {
  return quota === "writes" && !reasons.includes("appNotAuthorizedToFile");
}

/** The error for a write to a file that the user can read. `alsoUnopened`: the grant reads files that were never opened. */
export function onlyViewed(refused: unknown, alsoUnopened: boolean): ToolError {
  const { developerMessage = "" } = refused instanceof ToolError ? refused.details : {};
  return upstreamRefused(
    alsoUnopened
      ? "The user may only view this spreadsheet, whose owner must then give edit access, or it was not opened through " +
          `this application, and ${PICKER} lets the user pick it.`
      : "The user may only view this spreadsheet; its owner must give edit access.",
    {
      developerMessage,
      additionalPromptContent: alsoUnopened
        ? "Tell the user. Offer the link for picking once; if that does not help, the user needs edit access."
        : "Tell the user, and do not try again before the user has edit access. Picking the file does not help.",
    },
  );
}

function notFound(call: Call, refusal: Refusal, details: ToolErrorDetails): ToolError {
  return call.ofFile === true
    ? unreachable(upstreamNotFound, refusal, details)
    : upstreamNotFound(refusal.message ?? "The platform did not find it.", details);
}

// An application that has access only to files opened with it cannot distinguish these cases.
const UNREACHABLE =
  "`spreadsheet_id` cannot be opened: the spreadsheet may not exist, may not be shared with the user, or may not have been opened through this " +
  `application. ${PICKER} creates a link with which the user can pick it.`;

const OFFER =
  "Check `spreadsheet_id`: Sheets.SearchSpreadsheets returns the ids that can be opened. If it is correct, call " +
  `${PICKER}, give the user the link, and call this tool again after the user has picked the spreadsheet. An Excel file ` +
  "cannot be picked: it must be saved as a native spreadsheet first.";

function unreachable(fail: typeof upstreamNotFound, refusal: Refusal, details: ToolErrorDetails): ToolError {
  const message = `${UNREACHABLE} ${quoted(refusal)}`.trim();
  return fail(message, { ...details, additionalPromptContent: OFFER });
}

function quoted({ message }: Refusal): string {
  return message === undefined ? "" : `The platform says: ${message}`;
}

function overQuota(call: Call, answer: Answer, { message }: Refusal): Failure {
  const error = rateLimited(call.method, answer.retryAfterMs ?? MINUTE_MS, message);
  return { error, retry: "later", maybeDone: false, retryAfterMs: answer.retryAfterMs };
}

function transient(call: Call, answer: Answer, what: string): Failure {
  const explanation = quoted(refusalIn(answer));
  const error = upstreamFailed(
    `The platform could not do this at the moment (${what}). ${explanation}`.trim(),
    {
      advice: "Try again later.",
      developerMessage: `${call.method}: ${what}`,
      ...(answer.retryAfterMs === undefined ? {} : { retryAfterMs: answer.retryAfterMs }),
    },
  );
  return { error, retry: "later", maybeDone: true, retryAfterMs: answer.retryAfterMs };
}
