// Answers: JSON of a record, the Error record, or nothing.
import { JsonText } from "../src/base";
import { type RuntimeError, toRuntimeError } from "../src/errors";
import { after } from "../src/store";
import type { Answer } from "./route";

const HEADERS = { "content-type": "application/json", "cache-control": "no-store" };

// A frozen record stays as it is: its text is made once. Asked for first, because to see that one is frozen takes longer.
const texts = new WeakMap<object, string>();

function textOf(body: unknown): string {
  if (typeof body !== "object" || body === null) return JSON.stringify(body);
  const known = texts.get(body);
  if (known !== undefined) return known;
  const text = JSON.stringify(body);
  if (Object.isFrozen(body)) texts.set(body, text);
  return text;
}

export function jsonAnswer(status: number, body: unknown, headers?: Record<string, string>): Response {
  return new Response(textOf(body), {
    status,
    headers: headers === undefined ? HEADERS : { ...HEADERS, ...headers },
  });
}

// Copied whole into each answer, where a literal is read name by name; it holds the id of the answer that is being made.
const RECORD_HEADERS = new Headers(HEADERS);
const OK = { headers: RECORD_HEADERS };

/** The answer to a request that went well: a record, or its text. It bears its request id. */
export function recordAnswer(status: number, body: unknown, requestId: string): Response {
  return textAnswer(status, body instanceof JsonText ? body.body : textOf(body), requestId);
}

/** The same for JSON that is text already. */
export function textAnswer(status: number, text: string | Blob, requestId: string): Response {
  RECORD_HEADERS.set("x-request-id", requestId);
  return new Response(text, status === 200 ? OK : { status, headers: RECORD_HEADERS });
}

/** Puts the request id on an answer that was made without. */
export function identified(answer: Response, requestId: string): Response {
  answer.headers.set("x-request-id", requestId);
  return answer;
}

/** The same answer with its request id on it. */
export function identifying(answer: Answer): Answer {
  return (runtime, context, requestId) =>
    after(answer(runtime, context, requestId), (response) => identified(response, requestId));
}

/** An answer that is loaded with its first request, which waits for it. */
export function lateAnswer(load: () => Promise<Answer>): Answer {
  let known: Answer | undefined;
  return (runtime, context, requestId) => {
    if (known !== undefined) return known(runtime, context, requestId);
    return load().then((answer) => {
      known = answer;
      return answer(runtime, context, requestId);
    });
  };
}

/** What stays the same for a while: 304 to who has it already (RFC 9110, section 13.1.2). */
export function taggedAnswer(request: Request, { body, etag }: JsonText): Response {
  const known = request.headers.get("if-none-match")?.split(",") ?? [];
  const fresh = known.some((tag) => ["*", etag].includes(tag.trim().replace(/^W\//, "")));
  return new Response(fresh ? null : body, {
    status: fresh ? 304 : 200,
    headers: {
      ...(fresh ? {} : { "content-type": "application/json" }),
      // Kept by the caller, and asked about each time.
      "cache-control": "private, no-cache",
      vary: "authorization",
      etag,
    },
  });
}

/** The statuses of errors in the words of RFC 9110. */
const TITLES: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  409: "Conflict",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  429: "Too Many Requests",
  500: "Internal Server Error",
  503: "Service Unavailable",
  504: "Gateway Timeout",
};

/**
 * The `Error` record with its status, and the members of RFC 9457 beside it for clients that know only those. The
 * private cause stays behind. `also`: members beside them, for clients that read another form.
 */
export function errorAnswer(thrown: unknown, also?: (error: RuntimeError) => object): Response {
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
    ...also?.(error),
  };
  return jsonAnswer(status, body, headersOf(error));
}

function headersOf(error: RuntimeError): Record<string, string> {
  const headers: Record<string, string> = {};
  if (error.status === 401 || error.challenge !== undefined)
    headers["www-authenticate"] = error.challenge ?? "Bearer";
  if (error.retryAfterMs !== undefined) headers["retry-after"] = String(Math.ceil(error.retryAfterMs / 1000));
  const shouldRetry = error.shouldRetry ?? retriedByStatus(error.status);
  if (shouldRetry !== undefined) headers["x-should-retry"] = String(shouldRetry);
  return headers;
}

// Public clients repeat 409, 429 and all from 500 by themselves. A conflict would only meet the same conflict, and what
// an upstream did not answer in time may have been done all the same.
function retriedByStatus(status: number): boolean | undefined {
  if (status === 429) return true;
  return status === 409 || status === 504 ? false : undefined;
}
