// Answers: JSON of a record, the Error record, or nothing.
import { JsonText } from "../src/base";
import { preconditionFailed, type RuntimeError, toRuntimeError } from "../src/errors";
import { hasToken } from "../src/identity";

// Copying a `Headers` object costs less than reading a literal.
const HEADERS = new Headers({ "content-type": "application/json", "cache-control": "no-store" });

// The text of a frozen record is made once. The map is read first, because `Object.isFrozen` takes longer.
const texts = new WeakMap<object, string>();

function textOf(body: unknown): string {
  if (typeof body !== "object" || body === null) return JSON.stringify(body);
  const known = texts.get(body);
  if (known !== undefined) return known;
  const text = JSON.stringify(body);
  if (Object.isFrozen(body)) texts.set(body, text);
  return text;
}

/** JSON of a record, or JSON that is text already. */
export function jsonAnswer(status: number, body: unknown): Response {
  return new Response(body instanceof JsonText ? body.body : textOf(body), { status, headers: HEADERS });
}

/**
 * An answer with an `ETag`: 304 when the caller has that version (RFC 9110, section 13.1.2). Throws `precondition_failed` when
 * it wants another one (section 13.1.1).
 */
export function taggedAnswer({ headers }: Request, { body, etag }: JsonText): Response {
  const [match, noneMatch] = [headers.get("if-match"), headers.get("if-none-match")];
  if (match !== null && !matchesTag(match, etag, false))
    throw preconditionFailed("The record is not the one of If-Match. Get it without this header.");
  const fresh = noneMatch !== null && matchesTag(noneMatch, etag, true);
  return new Response(fresh ? null : body, {
    status: fresh ? 304 : 200,
    headers: {
      ...(fresh ? {} : { "content-type": "application/json" }),
      // The caller may store it, and revalidates it each time.
      "cache-control": "private, no-cache",
      vary: "authorization",
      etag,
    },
  });
}

/** Whether one of the tags of a header is that of a representation. `*` matches any. */
export function matchesTag(header: string, tag: string, isWeak: boolean): boolean {
  return header.split(",").some((each) => {
    const given = each.trim();
    return given === "*" || (isWeak ? given.replace(/^W\//, "") : given) === tag;
  });
}

/** The reason phrases of RFC 9110. */
const TITLES: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  409: "Conflict",
  412: "Precondition Failed",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  429: "Too Many Requests",
  500: "Internal Server Error",
  503: "Service Unavailable",
  504: "Gateway Timeout",
};

/**
 * The `Error` record with the members of RFC 9457, without the private cause. `errorMembers` adds members for clients
 * that read another form.
 */
export function errorAnswer(
  thrown: unknown,
  errorMembers?: (error: RuntimeError) => object,
  request?: Request,
): Response {
  const error = toRuntimeError(thrown);
  const { status, message, fieldErrors } = error;
  const body = {
    name: error.name === "configuration" || error.name === "unavailable" ? "internal_error" : error.name,
    message,
    ...(fieldErrors === undefined ? {} : { field_errors: fieldErrors }),
    type: "about:blank",
    title: TITLES[status] ?? "Error",
    status,
    detail: message,
    ...errorMembers?.(error),
  };
  const answer = jsonAnswer(status, body);
  setErrorHeaders(answer.headers, error, request);
  return answer;
}

function setErrorHeaders(headers: Headers, error: RuntimeError, request: Request | undefined): void {
  for (const [name, value] of Object.entries(error.headers)) headers.set(name, value);
  if (error.status === 401 || error.challenge !== undefined)
    headers.set("www-authenticate", error.challenge ?? challengeOf(request));
  if (error.retryAfterMs !== undefined) setRetryAfter(headers, error.retryAfterMs);
  const shouldRetry = error.shouldRetry ?? retriedByStatus(error.status);
  if (shouldRetry !== undefined) headers.set("x-should-retry", String(shouldRetry));
}

/** In whole seconds (RFC 9110, section 10.2.3). */
export function setRetryAfter(headers: Headers, ms: number): void {
  headers.set("retry-after", String(Math.ceil(ms / 1000)));
}

/** A credential that does not work is named; without one, the client only learns the scheme (RFC 6750, section 3). */
function challengeOf(request: Request | undefined): string {
  const credential = request?.headers.get("authorization") ?? undefined;
  return hasToken(credential) ? 'Bearer error="invalid_token"' : "Bearer";
}

// Public clients retry 409, 429 and 5xx by themselves. A conflict would conflict again, and a call that timed out at an
// upstream may have been executed.
function retriedByStatus(status: number): boolean | undefined {
  if (status === 429) return true;
  return status === 409 || status === 504 ? false : undefined;
}
