// Examples of the records of workers.

const TIME = "2026-01-31T09:30:00Z";
const HASH = "7d1a54127b222502f5b79b5fb0803061152a44f92b37e23c6527baf665d4da9a";

const WORKER = {
  id: "wiki",
  type: "mcp",
  enabled: true,
  managed: false,
  binding: { id: "default", type: "project" },
  mcp: {
    uri: "https://mcp.example.com/mcp",
    timeout: 30,
    retry: 2,
    headers: { "X-Api-Key": "${secret:WIKI_KEY}" },
    secrets: { WIKI_KEY: { binding: "project", editable: true, exists: true } },
  },
  requirements: { met: true },
  toolkit: "Wiki",
  updates: "review",
  trust_annotations: false,
  strict_results: false,
  skipped: [],
  catalog: { fetched_at: TIME, tools: 4, hash: HASH, new: 1, changed: 0, missing: 0 },
  created_at: TIME,
  updated_at: TIME,
};

export const WORKER_EXAMPLES: Readonly<Record<string, unknown>> = {
  CreateWorkerRequest: {
    id: "wiki",
    enabled: true,
    type: "mcp",
    mcp: {
      uri: "https://mcp.example.com/mcp",
      timeout: 30,
      retry: 2,
      headers: { "X-Api-Key": "${secret:WIKI_KEY}" },
      secrets: { WIKI_KEY: "the key of the wiki" },
    },
  },
  UpdateWorkerRequest: { mcp: { timeout: 20 }, updates: "auto" },
  WorkerResponse: WORKER,
  WorkerTestRequest: { type: "mcp", mcp: { uri: "https://mcp.example.com/mcp" } },
  WorkerTestResponse: {
    success: true,
    message: "It answers.",
    serverInfo: { name: "wiki", version: "2.1.0", description: "Pages of the wiki" },
  },
  WorkerHealthResponse: { id: "wiki", enabled: true, healthy: true, message: "It answers." },
  WorkerAuthorizeResponse: {
    worker_id: "wiki",
    user_id: "admin@example.com",
    status: "pending",
    scopes: ["pages:read"],
    url: "https://runtime.example.com/authorize/4f9a27c1",
  },
};
