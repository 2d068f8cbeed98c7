// What the tools of a platform remember between runs and processes: names that were read, how far a listing was read, and
// until when a method is blocked. `owner` is the connection, or the hash of the client and the account at the platform.
import type { Migration } from "../migrate";
import { lateWriteTriggers } from "./013-late-writes";

export const toolMemory: Migration = {
  version: 17,
  name: "tool memory",
  statements: [
    // The sealed value comes last, so that the other columns are read without it.
    `CREATE TABLE tool_memory (
      project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
      owner TEXT NOT NULL, connection_id TEXT REFERENCES connections (id) ON DELETE CASCADE,
      kind TEXT NOT NULL, name TEXT NOT NULL, part INTEGER NOT NULL,
      token_version INTEGER NOT NULL, stored_at INTEGER NOT NULL, kept_ms INTEGER NOT NULL, bytes INTEGER NOT NULL,
      sealed_value TEXT NOT NULL,
      PRIMARY KEY (project_id, owner, kind, name, part)
    ) STRICT`,
    "CREATE INDEX tool_memory_connection ON tool_memory (connection_id)",
    "CREATE INDEX tool_memory_size ON tool_memory (project_id, owner, kind, name, stored_at, kept_ms, bytes)",
    ...lateWriteTriggers("tool_memory", "sealed_value"),
  ],
};
