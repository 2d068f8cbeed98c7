// Errors of tools: the kinds, and a constructor for each case, so that all toolkits report in the same way.
import type { ServerAnswer } from "./carried";

/** All kinds that clients know; not all of them are used here. */
export const TOOL_ERROR_KINDS = [
  "TOOLKIT_LOAD_FAILED",
  "TOOL_DEFINITION_BAD_DEFINITION",
  "TOOL_DEFINITION_BAD_INPUT_SCHEMA",
  "TOOL_DEFINITION_BAD_OUTPUT_SCHEMA",
  "TOOL_REQUIREMENTS_NOT_MET",
  "TOOL_RUNTIME_BAD_INPUT_VALUE",
  "TOOL_RUNTIME_BAD_OUTPUT_VALUE",
  "TOOL_RUNTIME_RETRY",
  "TOOL_RUNTIME_CONTEXT_REQUIRED",
  "TOOL_RUNTIME_FATAL",
  "CONTEXT_CHECK_FAILED",
  "CONTEXT_DENIED",
  "UPSTREAM_RUNTIME_BAD_REQUEST",
  "UPSTREAM_RUNTIME_AUTH_ERROR",
  "UPSTREAM_RUNTIME_NOT_FOUND",
  "UPSTREAM_RUNTIME_VALIDATION_ERROR",
  "UPSTREAM_RUNTIME_RATE_LIMIT",
  "UPSTREAM_RUNTIME_SERVER_ERROR",
  "UPSTREAM_RUNTIME_UNMAPPED",
  "NETWORK_TRANSPORT_RUNTIME_TIMEOUT",
  "NETWORK_TRANSPORT_RUNTIME_UNREACHABLE",
  "NETWORK_TRANSPORT_RUNTIME_UNMAPPED",
  "UNKNOWN",
] as const;

export type ToolErrorKind = (typeof TOOL_ERROR_KINDS)[number];

export interface ToolErrorDetails {
  /** For logs, not for the model: the upstream's code. Must not contain a token or an address with its query. */
  developerMessage?: string;
  /** Hint for the model's next attempt. */
  additionalPromptContent?: string;
  /** What is wrong with single fields, in the platform's own words. They become a part of the message. */
  fields?: readonly FieldSentence[];
  /** The end of the message: what to do. Left out if the outcome is unknown, because then it would be wrong. */
  advice?: string;
  retryAfterMs?: number;
  statusCode?: number;
  canRetry?: boolean;
  extra?: Record<string, unknown>;
  /** What an MCP server answered, for clients of gateways. */
  answered?: ServerAnswer;
  cause?: unknown;
}

/** What is wrong with a field of the input. Without a name: with the input as a whole. */
export interface FieldSentence {
  field?: string;
  sentence: string;
}

/** More sentences, or longer ones together, help no model and fill its context. */
const MOST_SENTENCES = 20;
const MOST_LETTERS = 2000;

function withFields(message: string, fields: readonly FieldSentence[] = []): string {
  if (fields.length === 0) return message;
  const shown: string[] = [];
  let letters = 0;
  for (const { field, sentence } of fields.slice(0, MOST_SENTENCES)) {
    const text = field === undefined ? sentence : `${field}: ${sentence}`;
    letters += text.length;
    if (shown.length > 0 && letters > MOST_LETTERS) break;
    shown.push(text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS)}…` : text);
  }
  const rest = fields.length - shown.length;
  return `${message} ${shown.join("; ")}${rest === 0 ? "" : `; and ${rest} more`}`.replace(/[^.!?…]$/, "$&.");
}

/**
 * The error of a tool, and the only place that builds its text: models get `message` and `additionalPromptContent`, and
 * nothing else, whatever the entry point.
 */
export class ToolError extends Error {
  override readonly name = "ToolError";
  readonly kind: ToolErrorKind;
  readonly canRetry: boolean;
  readonly details: ToolErrorDetails;
  /** The message without the advice. */
  readonly problem: string;

  constructor(kind: ToolErrorKind, canRetry: boolean, message: string, details: ToolErrorDetails = {}) {
    const problem = withFields(message, details.fields);
    super(
      [problem, details.advice].filter((part) => part !== undefined).join(" "),
      details.cause === undefined ? undefined : { cause: details.cause },
    );
    this.problem = problem;
    this.kind = kind;
    this.canRetry = details.canRetry ?? canRetry;
    this.details = details;
  }
}

const maker =
  (kind: ToolErrorKind, canRetry: boolean, statusCode?: number) =>
  (message: string, details: ToolErrorDetails = {}): ToolError =>
    new ToolError(kind, canRetry, message, statusCode === undefined ? details : { statusCode, ...details });

/** The input is invalid. Nothing was sent upstream. */
export const badInput = maker("TOOL_RUNTIME_BAD_INPUT_VALUE", false, 400);
/** The model can correct the input; `additionalPromptContent` explains how. */
export const retryableInput = maker("TOOL_RUNTIME_RETRY", true, 400);
export const upstreamNotFound = maker("UPSTREAM_RUNTIME_NOT_FOUND", false, 404);
/** The platform understood the request and refused it (not in channel, archived). */
export const upstreamRefused = maker("UPSTREAM_RUNTIME_BAD_REQUEST", false, 403);
export const upstreamBadRequest = maker("UPSTREAM_RUNTIME_BAD_REQUEST", false, 400);
export const upstreamRateLimited = maker("UPSTREAM_RUNTIME_RATE_LIMIT", true, 429);
export const upstreamFailed = maker("UPSTREAM_RUNTIME_SERVER_ERROR", true, 502);
export const upstreamUnmapped = maker("UPSTREAM_RUNTIME_UNMAPPED", false);
export const upstreamUnauthorized = maker("UPSTREAM_RUNTIME_AUTH_ERROR", false, 401);
export const networkTimeout = maker("NETWORK_TRANSPORT_RUNTIME_TIMEOUT", true, 504);
export const networkUnreachable = maker("NETWORK_TRANSPORT_RUNTIME_UNREACHABLE", true, 502);
/** The operator's configuration is wrong; neither user nor model can correct it. */
export const fatal = maker("TOOL_RUNTIME_FATAL", false, 500);

/** The same failure for a write with an unknown outcome: it must not be retried automatically. */
export function outcomeUnknown(error: ToolError): ToolError {
  // The problem contains the sentences of the fields already; advice to call again does not hold any more.
  const { fields: _fields, advice: _advice, additionalPromptContent: _hint, ...rest } = error.details;
  const { retryAfterMs: _wait, ...details } = rest;
  return new ToolError(
    error.kind,
    false,
    `${error.problem} Whether it was done is unknown: check before trying again.`,
    {
      ...details,
      canRetry: false,
      extra: { ...details.extra, outcome: "unknown" },
      cause: error,
    },
  );
}

/**
 * The next step for the model, for errors without a hint of their own. Undefined where the message says everything that a
 * model can know.
 */
export function nextStepOf({ kind, details, canRetry }: ToolError): string | undefined {
  if (details.additionalPromptContent !== undefined) return details.additionalPromptContent;
  if (details.extra?.["outcome"] === "unknown")
    return "Read the present state first. Call again only if the change was not made.";
  return canRetry && details.retryAfterMs === undefined ? NEXT_STEPS.later : NEXT_STEPS[kind];
}

const NEXT_STEPS: Readonly<Partial<Record<ToolErrorKind | "later", string>>> = {
  later: "Call again later with the same input.",
  TOOL_RUNTIME_BAD_INPUT_VALUE: "Correct the named parameters and call again.",
  TOOL_RUNTIME_FATAL: "Do not call again with the same input. Tell the user what the message says.",
  UPSTREAM_RUNTIME_BAD_REQUEST:
    "Correct what the message names and call again. If it names nothing that you can change, tell the user.",
  UPSTREAM_RUNTIME_VALIDATION_ERROR: "Correct the named parameters and call again.",
  UPSTREAM_RUNTIME_NOT_FOUND:
    "Check the ids and names, or list what exists with another tool, and call again with one of them.",
  UPSTREAM_RUNTIME_AUTH_ERROR: "The user must authorize again. Do not call again before.",
  UPSTREAM_RUNTIME_RATE_LIMIT: "Wait as long as the message says and call again with the same input.",
  UPSTREAM_RUNTIME_SERVER_ERROR:
    "Tell the user that the platform failed. Call again only if the user wants it.",
  UPSTREAM_RUNTIME_UNMAPPED: "Tell the user what the platform answered. Call again only with another input.",
  NETWORK_TRANSPORT_RUNTIME_TIMEOUT:
    "Request less, or tell the user that the platform did not answer in time.",
  NETWORK_TRANSPORT_RUNTIME_UNREACHABLE: "Tell the user that the platform cannot be reached.",
};

/** A hook refused the call. Its message is shown unchanged. */
export class CallRefused extends ToolError {}

const DEAD = "The platform no longer accepts the user's grant: authorization required.";

/**
 * The platform refuses the token, and has not performed the request. A tool calls `ToolContext.renew` first and repeats the
 * request. Without a newer token, or if that is refused too, the connection is dead and the user must consent again.
 */
export class GrantDead extends ToolError {
  /** Whether the refusal may concern the client or this server's address instead of the grant. */
  readonly isDoubtful: boolean;

  constructor(code: string, message?: string, details: ToolErrorDetails & { isDoubtful?: boolean } = {}) {
    const { isDoubtful = false, ...others } = details;
    super("UPSTREAM_RUNTIME_AUTH_ERROR", false, message ?? DEAD, {
      developerMessage: code,
      statusCode: 401,
      ...others,
    });
    this.isDoubtful = isDoubtful;
  }
}

/** The token lacks scopes that the stored grant has. `provided`: the scopes of the token, if known. */
export class ScopesLost extends ToolError {
  readonly needed: readonly string[];
  readonly provided: readonly string[] | undefined;

  constructor(code: string, needed: readonly string[], provided?: readonly string[]) {
    const names = needed.length === 0 ? "a permission" : needed.join(", ");
    super("UPSTREAM_RUNTIME_AUTH_ERROR", false, `The user's grant lacks ${names}: authorization required.`, {
      developerMessage: code,
      statusCode: 403,
      extra: { needed_scopes: [...needed] },
    });
    this.needed = needed;
    this.provided = provided;
  }
}

/** A worker says that the user must authorize its tool. */
export class ConsentAsked extends ToolError {
  constructor(worker: string) {
    const message = `The worker ${worker} asks for the user's consent: authorization required.`;
    super("UPSTREAM_RUNTIME_AUTH_ERROR", false, message, {
      developerMessage: "requires_authorization",
      statusCode: 403,
    });
  }
}

/** A server refuses a call that had keys of the user, and has not performed it. Which key it means is not known. */
export class KeysRefused extends ToolError {
  constructor(message: string) {
    super("UPSTREAM_RUNTIME_AUTH_ERROR", false, message, { developerMessage: "401", statusCode: 401 });
  }
}
