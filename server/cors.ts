// Browsers of other origins (Fetch standard, section 3.2): only those that the operator named, and never with cookies.
// Calls carry their credential in a header, so an origin that is let in gains nothing that it was not given.
import type { Settings } from "../src/config";

export interface Cors {
  /** Puts on an answer what lets the browser hand it to its page. */
  mark(request: Request, headers: Headers): void;
  /** Whether the request is a browser's question before the real one, and its origin is allowed. */
  asks(request: Request): boolean;
  /** The answer to such a question about a path that takes these methods. */
  preflight(request: Request, methods: readonly string[]): Response;
}

/** Headers of answers that pages may read. */
const EXPOSED =
  "deprecation, etag, link, mcp-session-id, retry-after, traceparent, www-authenticate, x-request-id, x-should-retry";
const HEADER_NAME = /^[a-z\d-]{1,100}$/i;
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
    preflight: ({ headers }, methods) =>
      new Response(null, {
        status: 204,
        headers: {
          "access-control-allow-methods": methods.join(", "),
          "access-control-allow-headers": asked(headers.get("access-control-request-headers") ?? ""),
          "access-control-max-age": String(REMEMBERED_S),
          vary: "access-control-request-method, access-control-request-headers",
        },
      }),
  };
}

// Whatever the page wants to send: clients and gateways have headers that nobody can list, and whoever may name a
// credential in one of them gains nothing by the others.
function asked(names: string): string {
  const list = names.split(",").map((name) => name.trim());
  return list.filter((name) => HEADER_NAME.test(name)).join(", ");
}
