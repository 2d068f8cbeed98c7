// Token versions, and grants that must be revoked at their provider.
import type { Migration } from "../migrate";

export const grants: Migration = {
  version: 10,
  name: "grants",
  statements: [
    // `version` grows with every change of a connection, `token_version` with every new pair of tokens.
    "ALTER TABLE connections ADD COLUMN token_version INTEGER NOT NULL DEFAULT 0",
    "UPDATE connections SET token_version = version",

    // The sealed values are those of the connection, or of the consent flow `flow_id`. `sending_until`: a process is
    // sending the revocation.
    `CREATE TABLE revocations (
      id TEXT PRIMARY KEY, project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE, user_id TEXT NOT NULL,
      provider_id TEXT NOT NULL, flow_id TEXT, sealed_tokens TEXT, sealed_facts TEXT, sealed_grant TEXT,
      attempts INTEGER NOT NULL, due_at INTEGER NOT NULL, sending_until INTEGER, created_at INTEGER NOT NULL
    ) STRICT`,
    "CREATE INDEX revocations_due ON revocations (due_at)",
    "CREATE INDEX revocations_provider ON revocations (project_id, provider_id, user_id)",
    "CREATE INDEX authorizations_held ON authorizations (expires_at) WHERE sealed_grant IS NOT NULL",
  ],
};
