// The addresses of gateways: the MCP endpoint itself, and the metadata by which clients find who issues tokens for it.
import { identifying, lateAnswer } from "../answer";
import type { Means, Route } from "../route";

const ENDPOINT = "/mcp/:slug";
const WELL_KNOWN = "/.well-known/oauth-protected-resource";

export function mcpRoutes(means: () => Promise<Means>): Route[] {
  const endpoint = lateAnswer(async () => (await import("./endpoint")).mcpEndpoint(await means()));
  const notAllowed = lateAnswer(async () => (await import("./endpoint")).notAllowed);
  const resourceMetadata = lateAnswer(async () => (await import("./metadata")).resourceMetadata);
  const metadata = [`${WELL_KNOWN}${ENDPOINT}`, `${ENDPOINT}${WELL_KNOWN}`];
  return [
    { method: "POST", path: ENDPOINT, answer: endpoint },
    // No stream of its own and no end of sessions: the session is its id.
    { method: "GET", path: ENDPOINT, answer: identifying(notAllowed) },
    { method: "DELETE", path: ENDPOINT, answer: identifying(notAllowed) },
    ...metadata.map((path): Route => ({ method: "GET", path, answer: identifying(resourceMetadata) })),
  ];
}
