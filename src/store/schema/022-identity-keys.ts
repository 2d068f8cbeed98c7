// Keys that sign who calls a worker.
import type { Migration } from "../migrate";
import { lateWriteTriggers } from "./013-late-writes";
import { generations } from "./generations";

export const identityKeys: Migration = {
  version: 22,
  name: "identity keys",
  statements: [
    // `since`: when the key got its state.
    `CREATE TABLE identity_keys (
      project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE, id TEXT NOT NULL,
      state TEXT NOT NULL CHECK (state IN ('next', 'current', 'retired')), since INTEGER NOT NULL,
      public_key TEXT NOT NULL, sealed_private_key TEXT, created_at INTEGER NOT NULL,
      PRIMARY KEY (project_id, id)
    ) STRICT`,
    "CREATE UNIQUE INDEX identity_keys_state ON identity_keys (project_id, state) WHERE state <> 'retired'",
    ...lateWriteTriggers("identity_keys", "sealed_private_key"),
    generations("identity_keys"),
  ],
};
