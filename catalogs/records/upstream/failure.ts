// Maps the answers of the platform to tool errors. Only this file chooses kinds of errors in this catalog.
import {
  GrantDead,
  type Json,
  ScopesLost,
  type ToolContext,
  type ToolError,
  type ToolErrorDetails,
  upstreamBadRequest,
  upstreamFailed,
  upstreamNotFound,
  upstreamRateLimited,
  upstreamRefused,
  upstreamUnauthorized,
  upstreamUnmapped,
} from "../../../src/tools";
import { RATE_WINDOW_MS } from "../limits";
import { TOOLKIT } from "../metadata";
import { type Call, parameterWithRole, scopesOf } from "../operation";
import { DONE, type Entry, entryOf, RATE_LIMITED, SCOPE_MISSING, TOKEN_REFUSED } from "./codes";
import type { WholeAnswer } from "../../upstream/exchange";
import { isJsonObject } from "../../upstream/json";
import { type Failure, final } from "../../upstream/retry";
import { BASE_SECRET } from "./base";
import { sentencesIn } from "./sentences";
import { shownAnswer, textOf } from "./texts";

/** Undefined for a success, which is code 3000: the HTTP status is not enough. */
export function failureOf(context: ToolContext, call: Call, answer: WholeAnswer): Failure | undefined {
  const { status, body } = answer;
  const code = codeIn(answer);
  if (status >= 500) return transient(call, answer);
  if (body !== undefined && code === DONE) return allFailed(call, answer);
  if (status === 429 || code === RATE_LIMITED) return throttled(call, answer, code);
  // With a private link no token was sent, so a refusal is never about the grant.
  if (call.operation.scope !== "none") {
    if (code === TOKEN_REFUSED) return final(tokenRefused(context, detailsOf(call, answer)));
    if (code === SCOPE_MISSING) return final(new ScopesLost(String(code), scopesOf(call.operation)));
  }
  if (status < 300 && code === undefined) return transient(call, answer);
  return final(refusal(call, answer, code));
}

export function codeIn({ body }: WholeAnswer): number | undefined {
  const code = body?.["code"];
  return typeof code === "number" && Number.isInteger(code) ? code : undefined;
}

/** The status and the code of an answer, for an error. */
export function statusText({ status }: WholeAnswer, code: number | undefined): string {
  return code === undefined ? `HTTP ${status}` : `HTTP ${status}, code ${code}`;
}

function refusal(call: Call, answer: WholeAnswer, code: number | undefined): ToolError {
  const entry = entryOf(code, answer.status);
  const details = { ...detailsOf(call, answer), ...nextOf(entry), ...fieldsOf(call, answer) };
  const text = textOf(call, answer);
  const reason = `${text === undefined ? "" : `: ${text}`} (${statusText(answer, code)})`;
  const hints = [
    saysAbsent(text) ? undefined : hintOf(call, entry),
    keyHint(call, answer, entry),
    parameterHint(call, entry),
  ].filter((hint) => hint !== undefined);
  return errorOf(entry, answer, [`The platform refused this${reason}.`, ...hints].join(" "), details);
}

function errorOf(
  entry: Entry | undefined,
  { status }: WholeAnswer,
  message: string,
  details: ToolErrorDetails,
): ToolError {
  switch (entry?.meaning) {
    case "missing":
      return upstreamNotFound(message, details);
    case "quota":
      return upstreamRateLimited(message, { ...details, canRetry: false });
    case "refused":
      return upstreamRefused(message, details);
    case "input":
      return upstreamBadRequest(message, details);
    default:
      if (status === 401) return upstreamUnauthorized(message, details);
      return upstreamUnmapped(message, { ...details, statusCode: status >= 400 ? status : 502 });
  }
}

/** What the platform says about single fields, so that a model can correct them. */
function fieldsOf(
  call: Call,
  answer: WholeAnswer,
): Pick<ToolErrorDetails, "fields" | "additionalPromptContent"> {
  const fields = sentencesIn(call, answer.body);
  if (fields.length === 0) return {};
  return {
    fields,
    additionalPromptContent: "Correct these fields in `request_body` and call again with all of its fields.",
  };
}

/** Whether the platform has said itself that something does not exist: a hint would only repeat it. */
function saysAbsent(text: string | undefined): boolean {
  const negative = /\b(not?|never|cannot)\b/i.exec(text ?? "");
  return (
    negative !== null && /\b(found|find|exists?|available)\b/i.test(negative.input.slice(negative.index))
  );
}

/** What to do, for the model. */
function nextOf(entry: Entry | undefined): Pick<ToolErrorDetails, "additionalPromptContent"> {
  if (entry?.lister === undefined)
    return entry?.next === undefined ? {} : { additionalPromptContent: entry.next };
  const what =
    entry.lister === "CreateBulkReadJob" ? "creates a job and returns its id" : "lists what exists";
  return {
    additionalPromptContent: `${TOOLKIT}.${entry.lister} ${what}. Call again with one of these names or ids.`,
  };
}

function hintOf({ operation, address }: Call, entry: Entry | undefined): string | undefined {
  const flag = operation.query?.process_until_limit;
  if (entry?.narrow === undefined) return entry?.hint;
  const isSet = flag === undefined || /[?&]process_until_limit=true(&|$)/.test(address);
  return isSet ? `${entry.hint}.` : `${entry.hint}, or set \`${flag}\` to process 200 at a time.`;
}

/** The parameter to correct. */
function parameterHint({ operation }: Call, entry: Entry | undefined): string | undefined {
  const role = entry?.role;
  if (role === undefined) return undefined;
  const parameter =
    role === "criteria"
      ? (operation.query?.criteria ?? "request_body.criteria")
      : parameterWithRole(operation, role);
  return parameter === undefined ? undefined : `Correct \`${parameter}\`.`;
}

/** A wrong key of a private link is refused like a missing right; other refusals have nothing to do with the link. */
function keyHint(
  { operation, privateLink }: Call,
  { status }: WholeAnswer,
  entry: Entry | undefined,
): string | undefined {
  if (privateLink === undefined || (status !== 401 && status !== 403)) return undefined;
  if (entry !== undefined && entry.keyed === undefined) return undefined;
  return `Check the private link in \`${operation.query?.privatelink}\`. It must be the key of this published component.`;
}

/** A failure if no record succeeded. The caller reads the failures of single records in the result. */
function allFailed(call: Call, answer: WholeAnswer): Failure | undefined {
  const { total, failed } = failedItems(answer.body?.["result"]);
  if (total === 0 || failed < total) return undefined;
  const details = { ...detailsOf(call, answer), ...fieldsOf(call, answer) };
  const message = total === 1 ? "The record was not accepted." : `None of the ${total} records was accepted.`;
  return final(upstreamBadRequest(message, details));
}

function throttled(call: Call, answer: WholeAnswer, code: number | undefined): Failure {
  const wait = answer.retryAfterMs ?? RATE_WINDOW_MS;
  const message = `The platform's rate limit is reached (${statusText(answer, code)}).`;
  const advice = `Try again in ${Math.ceil(wait / 1000)} s.`;
  const error = upstreamRateLimited(message, { ...detailsOf(call, answer), retryAfterMs: wait, advice });
  // 429 means that the request was not performed (RFC 6585), whether the platform or a gateway says so.
  return { error, retry: "later", maybeDone: false, retryAfterMs: answer.retryAfterMs };
}

function transient(call: Call, answer: WholeAnswer): Failure {
  const what = statusText(answer, codeIn(answer));
  const message = `The platform did not return a valid answer (${what}).`;
  const error = upstreamFailed(message, { ...detailsOf(call, answer), advice: "Try again later." });
  return { error, retry: "now", maybeDone: true };
}

function detailsOf(call: Call, answer: WholeAnswer): ToolErrorDetails {
  const code = codeIn(answer);
  return {
    developerMessage: `${call.operation.name}: ${statusText(answer, code)}`,
    extra: {
      upstream_status: answer.status,
      ...(code === undefined ? {} : { upstream_code: code }),
      ...shownAnswer(call, answer),
    },
  };
}

/**
 * The runtime refreshes the token and retries once. If that fails, the user must act, or the operator, whose secret may
 * contain the address of another data center.
 */
function tokenRefused(context: ToolContext, details: ToolErrorDetails): GrantDead {
  const message = `The platform does not accept the user's token: authorization required. ${dataCenterHint(context)}`;
  return new GrantDead(String(TOKEN_REFUSED), message, details);
}

function dataCenterHint({ grant, secrets }: ToolContext): string {
  const domain = grant?.facts["api_domain"];
  const home = typeof domain === "string" ? URL.parse(domain)?.origin : undefined;
  const base = URL.parse(secrets[BASE_SECRET] ?? "")?.origin;
  if (home === undefined || home === base) {
    return `If authorizing again does not help, the account may belong to another data center than ${BASE_SECRET}.`;
  }
  return `The user's account belongs to another data center than ${BASE_SECRET}, where its token is not valid.`;
}

/** How many records an answer has, and how many of them were not accepted. */
export function failedItems(result: Json | undefined): { total: number; failed: number } {
  if (!Array.isArray(result)) return { total: 0, failed: 0 };
  const failed = result.filter((item) => !isJsonObject(item) || item["code"] !== DONE);
  return { total: result.length, failed: failed.length };
}
