// Answers: JSON of a record, the Error record, or nothing.
import { JsonText } from "../src/base";
import { toRuntimeError } from "../src/errors";

const HEADERS = { "content-type": "application/json", "cache-control": "no-store" };

export function jsonAnswer(status: number, body: unknown, headers?: Record<string, string>): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: headers === undefined ? HEADERS : { ...HEADERS, ...headers },
  });
}

/** What stays the same for a while: 304 to who has it already (RFC 9110, section 13.1.2). */
export function taggedAnswer(request: Request, { text, etag }: JsonText): Response {
  const known = request.headers.get("if-none-match")?.split(",") ?? [];
  const fresh = known.some((tag) => ["*", etag].includes(tag.trim().replace(/^W\//, "")));
  return new Response(fresh ? null : text, {
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

/** The `Error` record with its status. The private cause stays behind. */
export function errorAnswer(thrown: unknown): Response {
  const error = toRuntimeError(thrown);
  const body = {
    name: error.name === "configuration" || error.name === "unavailable" ? "internal_error" : error.name,
    message: error.message,
    ...(error.fieldErrors === undefined ? {} : { field_errors: error.fieldErrors }),
  };
  return jsonAnswer(error.status, body, headersOf(error));
}

function headersOf(error: ReturnType<typeof toRuntimeError>): Record<string, string> {
  const headers: Record<string, string> = {};
  if (error.status === 401) headers["www-authenticate"] = "Bearer";
  if (error.retryAfterMs !== undefined) headers["retry-after"] = String(Math.ceil(error.retryAfterMs / 1000));
  // Public clients repeat 409 by themselves; the same request would only meet the same conflict.
  if (error.status === 409) headers["x-should-retry"] = "false";
  return headers;
}
