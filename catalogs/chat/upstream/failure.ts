// From what the platform answered to how a tool fails. Kinds of error are decided here, nowhere else in this catalog.
import {
  badInput,
  GrantDead,
  ScopesLost,
  ToolError,
  upstreamFailed,
  upstreamNotFound,
  upstreamRefused,
  upstreamUnmapped,
} from "../../../src/tools";
import { MESSAGE_LIMIT } from "../limits";
import { meaningOf, sentenceFor } from "./codes";
import type { WholeAnswer } from "../../upstream/exchange";
import { type Failure, final, rateLimitReached } from "../../upstream/retry";
import { textIn, textsIn } from "../../upstream/json";
import { type MethodName, methodNamed, type Params } from "./methods";

/** The call that failed, as far as its error tells of it. */
export interface Call {
  method: MethodName;
  params: Params;
  /** What was addressed, as the caller named it: `conversation "C…"`. */
  subject?: string | undefined;
}

/** Undefined when the answer is a success, which is HTTP 200 and `ok: true`, never the status alone. */
export function failureOf(call: Call, answer: WholeAnswer): Failure | undefined {
  const { status, body } = answer;
  if (status === 429) return throttled(call, answer);
  if (status >= 500) return transient(call, `HTTP ${status}`);
  if (status === 200 && body?.["ok"] === true) return undefined;
  const code = body?.["ok"] === false ? textIn(body, "error") : undefined;
  if (code !== undefined) return refusal(call, answer, code);
  if (status === 401) return final(new GrantDead("HTTP 401"));
  if (status >= 400)
    return unmapped(`HTTP ${status}`, { developerMessage: `${call.method}: HTTP ${status}` });
  return transient(call, `HTTP ${status} with a body that is no answer`);
}

/** The platform's code, when it refused a call with one, for callers that can do something about it. */
export function codeOf(error: unknown): unknown {
  return error instanceof ToolError ? error.details.extra?.["upstream_code"] : undefined;
}

export function isNotFound(error: unknown): boolean {
  return error instanceof ToolError && error.kind === "UPSTREAM_RUNTIME_NOT_FOUND";
}

/** The method is over its rate limit for so long. */
export function rateLimited(method: MethodName, retryAfterMs: number): ToolError {
  return rateLimitReached(`${method}: ratelimited`, retryAfterMs);
}

function refusal(call: Call, answer: WholeAnswer, code: string): Failure {
  const details = { developerMessage: `${call.method}: ${code}`, extra: { upstream_code: code } };
  switch (meaningOf(code)) {
    case "dead":
      return final(new GrantDead(code));
    case "scope":
      return final(lostScopes(call, answer, code));
    case "missing":
      return final(
        upstreamNotFound(`Not found, or not visible to this user: ${call.subject ?? code}.`, details),
      );
    case "throttled":
      return throttled(call, answer);
    case "refused":
      return final(upstreamRefused(sentenceFor(code) ?? `The platform refuses this (${code}).`, details));
    case "input":
      return final(badInput(inputSentence(code, answer), details));
    case "transient":
      return transient(call, code);
    case undefined:
      return unmapped(code, details);
  }
}

function inputSentence(code: string, answer: WholeAnswer): string {
  if (code === "msg_too_long") {
    return (
      `The platform refuses the message as too long. It takes at most ${MESSAGE_LIMIT} characters, ` +
      "in some places fewer: shorten it, or send it in parts."
    );
  }
  const reasons = textsIn(answer.body?.["response_metadata"], "messages");
  return sentenceFor(code) ?? [`The platform refuses the arguments (${code}).`, ...reasons].join(" ");
}

function throttled(call: Call, answer: WholeAnswer): Failure {
  return {
    error: rateLimited(call.method, answer.retryAfterMs ?? 1000),
    again: "later",
    maybeDone: false,
  };
}

function transient(call: Call, what: string): Failure {
  const error = upstreamFailed(`The platform could not do this now (${what}).`, {
    developerMessage: `${call.method}: ${what}`,
  });
  return { error, again: "now", maybeDone: true };
}

function unmapped(
  what: string,
  details: { developerMessage: string; extra?: { upstream_code: string } },
): Failure {
  return final(
    upstreamUnmapped(`The platform answered with an error: ${what}.`, { ...details, statusCode: 502 }),
  );
}

/**
 * The platform may answer with every scope that would do, or with the whole family of a method. The user must be
 * asked for the one that this call lacks: what the method needs for these arguments, less what the token holds now,
 * whatever the stored grant claims.
 */
function lostScopes(call: Call, answer: WholeAnswer, code: string): ScopesLost {
  const provided = told(answer, "provided") ?? scopesFrom(answer.headers.get("x-oauth-scopes"));
  const lacking = (scopes: readonly string[]): string[] =>
    scopes.filter((scope) => provided?.includes(scope) !== true);
  const needed = told(answer, "needed") ?? [];
  // The other codes speak of the token's type or the user's role: no scope of ours is known to be missing.
  const own = code === "missing_scope" ? lacking(methodNamed(call.method).scopes(call.params)) : [];
  // Where nothing says what the token holds, of the call's scopes only those can be missing that are asked for.
  const asked = provided === undefined ? own.filter((scope) => needed.includes(scope)) : [];
  const missing = [asked, own, lacking(needed)].find((scopes) => scopes.length > 0) ?? [];
  return new ScopesLost(code, missing, provided);
}

function told(answer: WholeAnswer, field: "needed" | "provided"): string[] | undefined {
  return scopesFrom(textIn(answer.body ?? {}, field));
}

/** The platform separates scopes by commas, in older answers by spaces. */
function scopesFrom(text: string | null | undefined): string[] | undefined {
  return text?.split(/[\s,]+/).filter((scope) => scope !== "");
}
