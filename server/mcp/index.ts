// The addresses of gateways: the MCP endpoint, and the metadata that names the issuer of its tokens.
import { notFound } from "../../src/errors";
import { WELL_KNOWN } from "../../src/mcp";
import { jsonAnswer } from "../answer";
import type { Pages } from "../cors";
import type { Front, Incoming, Route } from "../front";
import { mcpEndpoint } from "./endpoint";
import { isOwnPage } from "./origin";
import { mcpStream } from "./stream";

const ENDPOINT = "/mcp/:slug";

/** Whether a path is that of an MCP endpoint. Clients expect 405 there for a method that is not served, not 404. */
export function isMcpEndpoint(path: string): boolean {
  return /^\/mcp\/[^/]+$/.test(path);
}

/** Which pages may read the answers of a path, besides those of `cors.allow`. */
export function pagesOf({ runtime }: Front, path: string): Pages | undefined {
  if (isMcpEndpoint(path)) return (origin) => isOwnPage(runtime.core, origin);
  // Public: pages of any origin may read where to sign in.
  return path.includes(WELL_KNOWN) ? "any" : undefined;
}

/** A page may also learn that sessions are not deleted (405). Otherwise it only sees a network error. */
export function preflightMethods(path: string, methods: readonly string[]): readonly string[] {
  return isMcpEndpoint(path) ? ["DELETE", ...methods] : methods;
}

/** A stream has no state that HEAD could ask for. */
export function servedMethods(path: string, methods: readonly string[]): readonly string[] {
  return isMcpEndpoint(path) ? methods.filter((method) => method !== "HEAD") : methods;
}

export function mcpRoutes(front: Front): Route[] {
  const { public_url = "" } = front.runtime.core.settings;
  // Behind a proxy with a path prefix, the well-known part is between host and prefix (RFC 9728, section 3.1).
  const prefix = URL.parse(public_url)?.pathname.replace(/\/$/, "") ?? "";
  const pages: Pages = (origin) => isOwnPage(front.runtime.core, origin);
  const paths = [`${WELL_KNOWN}${ENDPOINT}`, `${WELL_KNOWN}${prefix}${ENDPOINT}`, `${ENDPOINT}${WELL_KNOWN}`];
  return [
    { method: "POST", path: ENDPOINT, answer: (incoming) => mcpEndpoint(front, incoming), pages },
    { method: "GET", path: ENDPOINT, answer: (incoming) => mcpStream(front, incoming), pages },
    ...[...new Set(paths)].map((path): Route => ({
      method: "GET",
      path,
      answer: (incoming) => resourceMetadata(front, incoming),
      pages: "any",
    })),
  ];
}

/** Protected resource metadata (RFC 9728). 404 for a gateway that takes API keys, and for an unknown one. */
async function resourceMetadata({ runtime }: Front, { params, request }: Incoming): Promise<Response> {
  const gateway = await runtime.gateways.serving(params["slug"] ?? "");
  const host = request.headers.get("host") ?? undefined;
  const metadata = gateway === undefined ? undefined : await runtime.mcp.access.metadata(gateway, host);
  if (metadata === undefined) throw notFound("No gateway that takes tokens is at this address.");
  return jsonAnswer(200, metadata);
}

export { checkOrigin } from "./origin";
