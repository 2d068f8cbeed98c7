// Maps the answers of the platform to tool errors. Only this file chooses kinds of errors in this catalog.
import {
  badInput,
  GrantDead,
  ScopesLost,
  ToolError,
  type ToolErrorDetails,
  upstreamFailed,
  upstreamNotFound,
  upstreamRefused,
  upstreamUnmapped,
} from "../../../src/tools";
import { TOOLKIT } from "../metadata";
import { type Code, codeNamed } from "./codes";
import type { WholeAnswer } from "../../upstream/exchange";
import { type Failure, final, rateLimitReached } from "../../upstream/retry";
import { textIn, textsIn } from "../../upstream/json";
import { type MethodName, methodNamed, type Params } from "./methods";

/** The parts of a call that its error mentions. */
export interface Call {
  method: MethodName;
  params: Params;
  /** What was addressed, as the caller named it: `conversation "C…"`. */
  subject?: string | undefined;
}

/** Undefined for a success, which is HTTP 200 with `ok: true`: the status alone is not enough. */
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
  return transient(call, `HTTP ${status} with an invalid body`);
}

/** The platform's error code, for callers that handle it; undefined for other failures. */
export function codeOf(error: unknown): unknown {
  return error instanceof ToolError ? error.details.extra?.["upstream_code"] : undefined;
}

/** An expired cursor that the caller has not given. All other errors are unchanged. */
export function withoutCursor(error: unknown): unknown {
  if (!(error instanceof ToolError) || codeOf(error) !== "invalid_cursor") return error;
  const { developerMessage, extra } = error.details;
  return upstreamFailed("The platform ended its listing before the last page.", {
    advice: "Call again with the same input.",
    ...(developerMessage === undefined ? {} : { developerMessage }),
    ...(extra === undefined ? {} : { extra }),
  });
}

/** The wait of a rate limit in whole seconds; undefined for other failures. */
export function rateLimitOf(error: unknown): number | undefined {
  if (!(error instanceof ToolError) || error.kind !== "UPSTREAM_RUNTIME_RATE_LIMIT") return undefined;
  return Math.ceil((error.details.retryAfterMs ?? 1000) / 1000);
}

export function isNotFound(error: unknown): boolean {
  return error instanceof ToolError && error.kind === "UPSTREAM_RUNTIME_NOT_FOUND";
}

/** The error for a method, or a part of what it is used for, that is rate limited for this time. */
export function rateLimited(limit: string, retryAfterMs: number): ToolError {
  return rateLimitReached(`${limit}: ratelimited`, retryAfterMs);
}

function refusal(call: Call, answer: WholeAnswer, code: string): Failure {
  const details = { developerMessage: `${call.method}: ${code}`, extra: { upstream_code: code } };
  // Callers name types that exist, so this is about what the token, or the app, may list.
  if (code === "invalid_types") return final(refusedTypes(call, answer, details));
  const known = codeNamed(code);
  if (known === undefined) return unmapped(`${code}`, details);
  const { meaning, sentence, next } = known;
  const advised = next === undefined ? details : { ...details, additionalPromptContent: next };
  switch (meaning) {
    case "dead":
      // The platform answers so too if the app may be used only from other addresses.
      return final(new GrantDead(code, undefined, { isDoubtful: code === "invalid_auth" }));
    case "scope":
      return final(lostScopes(call, answer, code));
    case "missing":
      return final(
        upstreamNotFound(`Not found, or not visible to this user: ${call.subject ?? code}.`, {
          ...advised,
          ...correction(call),
        }),
      );
    case "throttled":
      return throttled(call, answer);
    case "refused":
    case "organization":
      return final(upstreamRefused(sentence, advised));
    case "input":
      return final(badInput([sentence, ...reasonsIn(answer)].join(" "), advised));
    case "fault":
      return final(upstreamUnmapped(`${sentence} (${code})`, { ...advised, statusCode: 502 }));
    case "transient":
      return transient(call, code, known);
  }
}

/** The parameter that named what was not found, and the tool that lists what exists. */
function correction({ params }: Call): { additionalPromptContent?: string } {
  const of = (parameter: string, lister: string): { additionalPromptContent: string } => ({
    additionalPromptContent: `Correct \`${parameter}\` and call again. ${TOOLKIT}.${lister} lists what exists, with ids.`,
  });
  if (params["channel"] !== undefined) return of("conversation_id", "ListConversations");
  if (params["user"] !== undefined || params["users"] !== undefined) return of("user_ids", "ListUsers");
  return {};
}

/** The platform's own words about the arguments. */
function reasonsIn(answer: WholeAnswer): string[] {
  return textsIn(answer.body?.["response_metadata"], "messages");
}

function throttled(call: Call, answer: WholeAnswer): Failure {
  return {
    error: rateLimited(call.method, answer.retryAfterMs ?? 1000),
    retry: "later",
    maybeDone: false,
  };
}

/** Without a code of the platform nothing is known about the outcome. */
function transient(call: Call, what: string, code: Code | undefined = undefined): Failure {
  const error = upstreamFailed(`The platform could not do this at the moment (${what}).`, {
    advice: code === undefined ? "Try again later." : `${code.sentence} Try again later.`,
    developerMessage: `${call.method}: ${what}`,
  });
  return { error, retry: "now", maybeDone: code === undefined || code.maybeDone === true };
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
 * The scopes that a refused call lacks. The platform may answer with every sufficient scope or with the whole family
 * of a method, but the user must be asked only for the missing one: what the method needs for these arguments, minus
 * what the token has now, even if the stored grant claims more.
 */
function lostScopes(call: Call, answer: WholeAnswer, code: string): ScopesLost {
  const provided = scopesIn(answer, "provided") ?? scopesFrom(answer.headers.get("x-oauth-scopes"));
  const lacking = (scopes: readonly string[]): string[] =>
    scopes.filter((scope) => provided?.includes(scope) !== true);
  const needed = scopesIn(answer, "needed") ?? [];
  // The other codes are about the token's type or the user's role: no missing scope is known.
  const own = code === "missing_scope" ? lacking(methodNamed(call.method).scopes(call.params)) : [];
  // If the scopes of the token are unknown, only those of the call that the platform names can be missing.
  const named = provided === undefined ? own.filter((scope) => needed.includes(scope)) : [];
  const missing = [named, own, lacking(needed)].find((scopes) => scopes.length > 0) ?? [];
  return new ScopesLost(code, missing, provided);
}

/** All types that are asked for exist, so a refused one is one that the token, or the app, may not list. */
function refusedTypes(call: Call, answer: WholeAnswer, details: ToolErrorDetails): ToolError {
  const lost = lostScopes(call, answer, "missing_scope");
  if (lost.provided !== undefined && lost.needed.length > 0) return lost;
  return badInput(
    "The platform does not list conversations of these types. The app may lack a scope for them.",
    {
      ...details,
      advice: "Ask for fewer types, or let an administrator add the scopes to the app.",
    },
  );
}

function scopesIn(answer: WholeAnswer, field: "needed" | "provided"): string[] | undefined {
  return scopesFrom(textIn(answer.body ?? {}, field));
}

/** The platform separates scopes with commas, in older answers with spaces. */
function scopesFrom(text: string | null | undefined): string[] | undefined {
  return text?.split(/[\s,]+/).filter((scope) => scope !== "");
}
