// Gateways: MCP addresses. The slug is the address, so it is unique on the whole server.
import type { Migration } from "../migrate";
import { generations } from "./generations";

export const gateways: Migration = {
  version: 3,
  name: "gateways",
  statements: [
    generations("gateways"),
    `CREATE TABLE gateways (
      id TEXT PRIMARY KEY, project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
      slug TEXT NOT NULL UNIQUE, name TEXT NOT NULL, description TEXT, instructions TEXT,
      auth_type TEXT NOT NULL, user_source_id TEXT, status TEXT NOT NULL,
      passthrough_headers TEXT, consent_skip_client_ids TEXT, tool_filter TEXT,
      created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
    ) STRICT`,
    "CREATE INDEX gateways_page ON gateways (project_id, created_at, id)",
  ],
};
