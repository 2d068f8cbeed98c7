// The addresses of gateways: the MCP endpoint, and the metadata that names the issuer of its tokens.
import { notFound } from "../../src/errors";
import { jsonAnswer } from "../answer";
import type { Front, Incoming, Route } from "../front";
import { mcpEndpoint } from "./endpoint";

const ENDPOINT = "/mcp/:slug";
const WELL_KNOWN = "/.well-known/oauth-protected-resource";

/** Whether a path is that of an MCP endpoint. Clients expect 405 there for a method that is not served, not 404. */
export function isMcpEndpoint(path: string): boolean {
  return /^\/mcp\/[^/]+$/.test(path);
}

export function mcpRoutes(front: Front): Route[] {
  const metadata = [`${WELL_KNOWN}${ENDPOINT}`, `${ENDPOINT}${WELL_KNOWN}`];
  return [
    { method: "POST", path: ENDPOINT, answer: (incoming) => mcpEndpoint(front, incoming) },
    ...metadata.map((path): Route => ({
      method: "GET",
      path,
      answer: (incoming) => resourceMetadata(front, incoming),
    })),
  ];
}

/** Protected resource metadata (RFC 9728). 404 for a gateway that takes API keys, and for an unknown one. */
async function resourceMetadata({ runtime }: Front, { params }: Incoming): Promise<Response> {
  const gateway = await runtime.gateways.serving(params["slug"] ?? "");
  const metadata = gateway === undefined ? undefined : runtime.mcp.access.metadata(gateway);
  if (metadata === undefined) throw notFound("No gateway that takes tokens is at this address.");
  const answer = jsonAnswer(200, metadata);
  // Public: pages of any origin may read where to sign in.
  answer.headers.set("access-control-allow-origin", "*");
  return answer;
}

export { notAllowed } from "./endpoint";
