// Errors of tools: the kinds, and a constructor for each case, so that all toolkits report in the same way.

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
  retryAfterMs?: number;
  statusCode?: number;
  canRetry?: boolean;
  extra?: Record<string, unknown>;
  cause?: unknown;
}

export class ToolError extends Error {
  override readonly name = "ToolError";
  readonly kind: ToolErrorKind;
  readonly canRetry: boolean;
  readonly details: ToolErrorDetails;

  constructor(kind: ToolErrorKind, canRetry: boolean, message: string, details: ToolErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
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
  return new ToolError(
    error.kind,
    false,
    `${error.message} Whether it was done is unknown: check before trying again.`,
    {
      ...error.details,
      canRetry: false,
      extra: { ...error.details.extra, outcome: "unknown" },
      cause: error,
    },
  );
}

/** A hook refused the call. Its message is shown unchanged. */
export class CallRefused extends ToolError {}

const DEAD = "The platform no longer accepts the user's grant: authorization required.";

/**
 * The platform refuses the token, and has not performed the request. A tool calls `ToolContext.renew` first and repeats the
 * request. Without a newer token, or if that is refused too, the connection is dead and the user must consent again.
 */
export class GrantDead extends ToolError {
  constructor(code: string, message?: string, details: ToolErrorDetails = {}) {
    super("UPSTREAM_RUNTIME_AUTH_ERROR", false, message ?? DEAD, {
      developerMessage: code,
      statusCode: 401,
      ...details,
    });
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
