// The one error of the services. A front turns it into an answer or an exit code; nothing else decides a status.

/** Stable names on the wire (`Error.name`); clients and scripts compare them. */
export const ERROR_NAMES = [
  "malformed_request",
  "tool_requirements_not_met",
  "user_mismatch",
  "tool_not_found",
  "already_exists",
  "read_only",
  "invalid_parameter",
  "unsupported_format",
  "idempotency_mismatch",
  "invalid_authorization",
  "forbidden",
  "route_not_found",
  "not_found",
  "conflict",
  "request_too_large",
  "unsupported_media_type",
  "rate_limited",
  "internal_error",
  "gateway_timeout",
  "configuration",
  "unavailable",
] as const;
export type ErrorName = (typeof ERROR_NAMES)[number];

/** One field of a body or query that breaks a rule. Never carries the submitted value. */
export interface FieldError {
  field: string;
  rule: string;
  message: string;
}

export interface ErrorDetails {
  fieldErrors?: FieldError[];
  /** Private: goes to the log, never to an answer. */
  cause?: unknown;
  retryAfterMs?: number | undefined;
  /** Whether the very same request may help, where its status alone would mislead a client. */
  shouldRetry?: boolean;
  /** Where the user can consent, when that is what is missing. */
  consentUrl?: string;
  /** What a 401 or 403 says in `WWW-Authenticate`, where it is more than `Bearer`. */
  challenge?: string;
}

/** What went wrong, for the caller (`message` says what to do next) and, privately, for the log (`cause`). */
export class RuntimeError extends Error {
  readonly status: number;
  readonly fieldErrors: FieldError[] | undefined;
  readonly retryAfterMs: number | undefined;
  readonly shouldRetry: boolean | undefined;
  readonly consentUrl: string | undefined;
  readonly challenge: string | undefined;
  override readonly name: ErrorName;

  constructor(name: ErrorName, status: number, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = name;
    this.status = status;
    this.fieldErrors = details.fieldErrors;
    this.retryAfterMs = details.retryAfterMs;
    this.shouldRetry = details.shouldRetry;
    this.consentUrl = details.consentUrl;
    this.challenge = details.challenge;
  }
}

const maker =
  (name: ErrorName, status: number) =>
  (message: string, details: ErrorDetails = {}): RuntimeError =>
    new RuntimeError(name, status, message, details);

export const malformedRequest = maker("malformed_request", 400);
export const requirementsNotMet = maker("tool_requirements_not_met", 400);
/** The user still owes a grant. 403 is the sign by which public clients know to call authorize. */
export const consentRequired = maker("tool_requirements_not_met", 403);
export const userMismatch = maker("user_mismatch", 400);
export const toolNotFound = maker("tool_not_found", 400);
export const alreadyExists = maker("already_exists", 400);
/** The caller sees the record, but it is not theirs to change. */
export const readOnly = maker("read_only", 400);
export const invalidParameter = maker("invalid_parameter", 400);
export const idempotencyMismatch = maker("idempotency_mismatch", 400);
export const invalidAuthorization = maker("invalid_authorization", 401);
export const forbidden = maker("forbidden", 403);
export const routeNotFound = maker("route_not_found", 404);
export const notFound = maker("not_found", 404);
export const conflict = maker("conflict", 409);
export const requestTooLarge = maker("request_too_large", 413);
export const unsupportedMediaType = maker("unsupported_media_type", 415);
/** The credential calls too often; `retryAfterMs` says when to go on. */
export const rateLimited = maker("rate_limited", 429);
export const internalError = maker("internal_error", 500);
export const gatewayTimeout = maker("gateway_timeout", 504);
/** The operator's settings, files or keys stop the start. Never an answer of the API. */
export const configurationError = maker("configuration", 500);
/** The database or its lock cannot be had in time. */
export const unavailable = maker("unavailable", 500);

/** Anything thrown, as the error that a caller may see: what is not ours becomes a bare `internal_error`. */
export function toRuntimeError(thrown: unknown): RuntimeError {
  if (thrown instanceof RuntimeError) return thrown;
  return internalError("The server failed to do this. The log has the reason under the request id.", {
    cause: thrown,
  });
}
