// Cross-origin requests (Fetch standard, section 3.2): only of origins in the settings, and never with cookies. Calls have
// their credential in a header, so an allowed origin gains no access by itself.
import type { Settings } from "../src/config";

export interface Cors {
  /** Adds the headers with which the browser gives an answer to its page. */
  mark(request: Request, headers: Headers): void;
  /** Whether the request is a preflight of an allowed origin. */
  isPreflight(request: Request): boolean;
  /** The answer to a preflight of a path that has these methods. */
  preflight(request: Request, methods: readonly string[]): Response;
}

/** Headers of answers that pages may read. */
const EXPOSED =
  "deprecation, etag, link, mcp-session-id, retry-after, traceparent, www-authenticate, x-request-id, x-should-retry";
const HEADER_NAME = /^[a-z\d-]{1,100}$/i;
/** How long a browser may cache a preflight; browsers limit it to two hours or less. */
const MAX_AGE_S = 600;

/** Undefined when no other origin is allowed. */
export function corsOf({ "cors.allow": allow }: Settings): Cors | undefined {
  if (allow.length === 0) return undefined;
  const any = allow.includes("*");
  const known = new Set(allow.map((origin) => origin.toLowerCase()));
  const allowed = (origin: string | null): origin is string =>
    origin !== null && (any || known.has(origin.toLowerCase()));
  return {
    mark: (request, headers) => {
      const origin = request.headers.get("origin");
      // Also on answers without an origin, so that a cache does not give the answer of one origin to another.
      if (!any) headers.append("vary", "origin");
      if (!allowed(origin)) return;
      headers.set("access-control-allow-origin", any ? "*" : origin);
      headers.set("access-control-expose-headers", EXPOSED);
    },
    isPreflight: ({ method, headers }) =>
      method === "OPTIONS" && headers.has("access-control-request-method") && allowed(headers.get("origin")),
    preflight: ({ headers }, methods) =>
      new Response(null, {
        status: 204,
        headers: {
          "access-control-allow-methods": methods.join(", "),
          "access-control-allow-headers": validNames(headers.get("access-control-request-headers") ?? ""),
          "access-control-max-age": String(MAX_AGE_S),
          vary: "access-control-request-method, access-control-request-headers",
        },
      }),
  };
}

// Any header: those of clients and gateways cannot be listed, and a page that may send a credential gains nothing by
// sending others.
function validNames(names: string): string {
  const list = names.split(",").map((name) => name.trim());
  return list.filter((name) => HEADER_NAME.test(name)).join(", ");
}
