// Workers that are MCP servers over HTTP.
import { McpClient } from "../../mcp";
import type { WorkerKind } from "../tool";
import { BASE, type McpParts } from "./reach";
import { probeServer, readCatalog } from "./read";
import { running } from "./run";

export interface McpKind extends WorkerKind {
  /** Ends the sessions at all servers. */
  close(): Promise<void>;
}

export function mcpKind(given: Omit<McpParts, "client">): McpKind {
  const parts = { ...given, client: new McpClient(given.clock) };
  return {
    read: (worker, options) => readCatalog(parts, worker, options),
    probe: (worker, options) => probeServer(parts, worker, options),
    bases: ({ uri }) => ({ [BASE]: { url: uri } }),
    run: (worker, tool) => running(parts, worker, tool),
    close: () => parts.client.close(),
  };
}
