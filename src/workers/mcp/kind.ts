// Workers that are MCP servers: over HTTP, and programs.
import { McpClient } from "../../mcp";
import type { WorkerKind } from "../tool";
import { HeldCalls } from "./held";
import { BASE, type McpParts } from "./reach";
import { probeServer, readCatalog } from "./read";
import { running } from "./run";

export interface McpKind extends WorkerKind {
  /** Ends the sessions at all servers. */
  close(): Promise<void>;
}

export function mcpKind(given: Omit<McpParts, "client" | "held">): McpKind {
  const parts = { ...given, client: new McpClient(given.clock), held: new HeldCalls() };
  return {
    read: (worker, options) => readCatalog(parts, worker, options),
    probe: (worker, options) => probeServer(parts, worker, options),
    bases: ({ uri, stdio }) => (stdio === undefined ? { [BASE]: { url: uri } } : {}),
    run: (worker, tool) => running(parts, worker, tool),
    close: async () => {
      parts.held.close();
      await parts.client.close();
      await parts.stdio?.close();
    },
  };
}
