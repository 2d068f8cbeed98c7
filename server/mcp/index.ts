// The addresses of gateways: the MCP endpoint itself, and the metadata by which clients find who issues tokens for it.
import { identifying } from "../answer";
import type { Means } from "../dispatch";
import type { Route } from "../routes";
import { mcpEndpoint, notAllowed } from "./endpoint";
import { resourceMetadata } from "./metadata";

const ENDPOINT = "/mcp/:slug";
const WELL_KNOWN = "/.well-known/oauth-protected-resource";

export function mcpRoutes(means: Means): Route[] {
  const metadata = [`${WELL_KNOWN}${ENDPOINT}`, `${ENDPOINT}${WELL_KNOWN}`];
  return [
    { method: "POST", path: ENDPOINT, answer: mcpEndpoint(means) },
    // No stream of its own and no end of sessions: the session is its id.
    { method: "GET", path: ENDPOINT, answer: identifying(notAllowed) },
    { method: "DELETE", path: ENDPOINT, answer: identifying(notAllowed) },
    ...metadata.map((path): Route => ({ method: "GET", path, answer: identifying(resourceMetadata) })),
  ];
}
