// Browsers of other origins (Fetch standard, section 3.2): only those that the operator named, and never with cookies.
// Calls carry their credential in a header, so an origin that is let in gains nothing that it was not given.
import type { Settings } from "../src/config";

export interface Cors {
  /** Puts on an answer what lets the browser hand it to its page. */
  mark(request: Request, headers: Headers): void;
  /** Whether the request is a browser's question before the real one, and its origin is allowed. */
  asks(request: Request): boolean;
  /** The answer to such a question about a path that takes these methods. */
  preflight(methods: readonly string[]): Response;
}

/** Headers of answers that pages may read. */
const EXPOSED =
  "deprecation, etag, link, mcp-session-id, retry-after, traceparent, x-request-id, x-should-retry";
/** Headers that requests may carry: ours, and those of the public clients, which differ by version. */
const ACCEPTED =
  "accept, accept-language, arcade-user-id, authorization, content-language, content-type, idempotency-key, " +
  "if-none-match, last-event-id, mcp-method, mcp-name, mcp-protocol-version, mcp-session-id, traceparent, " +
  "tracestate, user-agent, x-user-id, " +
  "x-stainless-arch, x-stainless-lang, x-stainless-os, x-stainless-package-version, x-stainless-retry-count, " +
  "x-stainless-runtime, x-stainless-runtime-version, x-stainless-timeout";
/** How long a browser may remember the answer; browsers cut it at two hours or less. */
const REMEMBERED_S = 600;

/** Undefined when no other origin is allowed: then nobody looks where a request comes from. */
export function corsOf({ "cors.allow": allow }: Settings): Cors | undefined {
  if (allow.length === 0) return undefined;
  const any = allow.includes("*");
  const known = new Set(allow.map((origin) => origin.toLowerCase()));
  const allowed = (origin: string | null): origin is string =>
    origin !== null && (any || known.has(origin.toLowerCase()));
  return {
    mark: (request, headers) => {
      const origin = request.headers.get("origin");
      // Also on answers to nobody's page: a cache in between must not give one origin's answer to another.
      if (!any) headers.append("vary", "origin");
      if (!allowed(origin)) return;
      headers.set("access-control-allow-origin", any ? "*" : origin);
      headers.set("access-control-expose-headers", EXPOSED);
    },
    asks: ({ method, headers }) =>
      method === "OPTIONS" && headers.has("access-control-request-method") && allowed(headers.get("origin")),
    preflight: (methods) =>
      new Response(null, {
        status: 204,
        headers: {
          "access-control-allow-methods": methods.join(", "),
          "access-control-allow-headers": ACCEPTED,
          "access-control-max-age": String(REMEMBERED_S),
          vary: "access-control-request-method, access-control-request-headers",
        },
      }),
  };
}
