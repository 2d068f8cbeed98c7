// The error of all services. The server maps it to an HTTP response, the command line to an exit code.

/** Stable names in the API (`Error.name`), which clients and scripts compare. */
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
  "precondition_failed",
  "request_too_large",
  "unsupported_media_type",
  "rate_limited",
  "internal_error",
  "gateway_timeout",
  "configuration",
  "unavailable",
] as const;
export type ErrorName = (typeof ERROR_NAMES)[number];

/** A field of a body or query that is not valid. Never contains the submitted value. */
export interface FieldError {
  field: string;
  rule: string;
  message: string;
}

export interface ErrorDetails {
  fieldErrors?: FieldError[];
  /** Only for the log, never part of an answer. */
  cause?: unknown;
  retryAfterMs?: number | undefined;
  /** Whether to retry the same request, if the status alone would mislead clients. */
  shouldRetry?: boolean;
  /** Where the user can consent, if a consent is missing. */
  consentUrl?: string;
  /** The `WWW-Authenticate` header of a 401 or 403, if it is not just `Bearer`. */
  challenge?: string;
  /** Further headers of the answer. */
  headers?: Readonly<Record<string, string>>;
}

const NO_HEADERS = {};

/** An error. `message` is for the caller: the problem, then what to do. `cause` is only for the log. */
export class RuntimeError extends Error {
  readonly status: number;
  readonly fieldErrors: FieldError[] | undefined;
  readonly retryAfterMs: number | undefined;
  readonly shouldRetry: boolean | undefined;
  readonly consentUrl: string | undefined;
  readonly challenge: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
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
    this.headers = details.headers ?? NO_HEADERS;
  }
}

const constructorOf =
  (name: ErrorName, status: number) =>
  (message: string, details: ErrorDetails = {}): RuntimeError =>
    new RuntimeError(name, status, message, details);

export const malformedRequest = constructorOf("malformed_request", 400);
export const requirementsNotMet = constructorOf("tool_requirements_not_met", 400);
/** A grant of the user is missing. Public clients call authorize after a 403. */
export const consentRequired = constructorOf("tool_requirements_not_met", 403);
export const userMismatch = constructorOf("user_mismatch", 400);
export const toolNotFound = constructorOf("tool_not_found", 400);
export const alreadyExists = constructorOf("already_exists", 400);
/** The caller can read the record, but not change it. */
export const readOnly = constructorOf("read_only", 400);
export const invalidParameter = constructorOf("invalid_parameter", 400);
export const idempotencyMismatch = constructorOf("idempotency_mismatch", 400);
export const invalidAuthorization = constructorOf("invalid_authorization", 401);
export const forbidden = constructorOf("forbidden", 403);
export const routeNotFound = constructorOf("route_not_found", 404);
export const notFound = constructorOf("not_found", 404);
export const conflict = constructorOf("conflict", 409);
/** The condition of `If-Match` or `If-None-Match` is false; nothing was done. */
export const preconditionFailed = constructorOf("precondition_failed", 412);
export const requestTooLarge = constructorOf("request_too_large", 413);
export const unsupportedMediaType = constructorOf("unsupported_media_type", 415);
/** Too many requests of a credential; retry after `retryAfterMs`. */
export const rateLimited = constructorOf("rate_limited", 429);
export const internalError = constructorOf("internal_error", 500);
export const gatewayTimeout = constructorOf("gateway_timeout", 504);
/** Settings, files or keys prevent the start. Never an answer of the API. */
export const configurationError = constructorOf("configuration", 500);
/** When a caller may try again, unless the error knows it better. */
const RETRY_AFTER_MS = 1000;

/**
 * The database did not respond, its lock could not be acquired in time, or it cannot be used at the moment. Nothing was
 * stored.
 */
export function unavailable(message: string, details: ErrorDetails = {}): RuntimeError {
  const { retryAfterMs = RETRY_AFTER_MS } = details;
  return new RuntimeError("unavailable", 503, message, { ...details, retryAfterMs });
}

/** Whether a change was refused because of another one. */
export function isConflict(error: unknown): error is RuntimeError {
  return error instanceof RuntimeError && error.name === "conflict";
}

/** Whether an error says nothing about the request: it may succeed later. */
export function isUnavailable(error: unknown): error is RuntimeError {
  return error instanceof RuntimeError && error.name === "unavailable";
}

/**
 * Details of an error about an id or name that selects no record. The API answers 400 for some of these, as its contract
 * says; a command exits as for any other unknown id.
 */
export function unknownRecord(field: string): Pick<ErrorDetails, "fieldErrors"> {
  return { fieldErrors: [{ field, rule: EXISTS, message: "does not exist" }] };
}

/** Whether an error says that an id or name selects no record. */
export function isUnknownRecord({ name, fieldErrors = [] }: RuntimeError): boolean {
  const names: readonly ErrorName[] = ["not_found", "tool_not_found", "route_not_found"];
  return names.includes(name) || fieldErrors.some(({ rule }) => rule === EXISTS);
}

const EXISTS = "exists";

/** Converts a thrown value into an error for the caller: anything unexpected becomes `internal_error`. */
export function toRuntimeError(thrown: unknown): RuntimeError {
  if (thrown instanceof RuntimeError) return thrown;
  return internalError(
    "The request failed because of an internal error. Look up the request id in the log of the server.",
    {
      cause: thrown,
    },
  );
}
