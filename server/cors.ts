// Cross-origin requests (Fetch standard, section 3.2): only of origins in the settings, and never with cookies. Calls have
// their credential in a header, so an allowed origin gains no access by itself.
import type { Settings } from "../src/config";

/** Which pages may read the answers of a route, besides those of `cors.allow`. */
export type Pages = "any" | ((origin: string) => boolean);

export interface Cors {
  /** Adds the headers with which the browser gives an answer to its page. */
  mark(request: Request, headers: Headers, pages?: Pages): void;
  /** Whether the request is a preflight of an allowed origin. */
  isPreflight(request: Request, pages?: Pages): boolean;
  /** The answer to a preflight of a path that has these methods. */
  preflight(request: Request, methods: readonly string[]): Response;
}

/** Headers of answers that pages may read. */
const EXPOSED =
  "deprecation, etag, link, mcp-session-id, retry-after, traceparent, www-authenticate, x-request-id, x-should-retry";
const HEADER_NAME = /^[a-z\d-]{1,100}$/i;
/** How long a browser may cache a preflight; browsers limit it to two hours or less. */
const MAX_AGE_S = 600;

export function corsOf({ "cors.allow": allow }: Settings): Cors {
  const all = allow.includes("*");
  const known = new Set(allow.map((origin) => origin.toLowerCase()));
  const allowed = (origin: string | null, pages: Pages | undefined): origin is string => {
    if (origin === null) return false;
    if (all || pages === "any" || known.has(origin.toLowerCase())) return true;
    return pages?.(origin) === true;
  };
  return {
    mark: (request, headers, pages) => {
      const origin = request.headers.get("origin");
      const any = all || pages === "any";
      // Also on answers without an origin, so that a cache does not give the answer of one origin to another.
      if (!any && (known.size > 0 || pages !== undefined)) headers.append("vary", "origin");
      if (pages !== "any" && !allowed(origin, pages)) return;
      headers.set("access-control-allow-origin", any ? "*" : (origin ?? ""));
      headers.set("access-control-expose-headers", EXPOSED);
    },
    isPreflight: ({ method, headers }, pages) =>
      method === "OPTIONS" &&
      headers.has("access-control-request-method") &&
      allowed(headers.get("origin"), pages),
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
