// The first version of the main database. Rows, columns and times are described in `main.ts`.
import type { Migration } from "../migrate";
import { generations } from "./generations";

export const first: Migration = {
  version: 1,
  name: "first",
  statements: [
    "CREATE TABLE generations (kind TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT",
    generations(
      "keys",
      "projects",
      "providers",
      "secrets",
      "settings",
      "connections",
      "authorizations",
      "leases",
      "idempotency",
    ),

    // Facts about this installation: the id of the current root key, the address of the running server.
    "CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT",

    `CREATE TABLE data_keys (
      id TEXT PRIMARY KEY, project_id TEXT NOT NULL, root_key_id TEXT NOT NULL, wrapped TEXT NOT NULL,
      created_at INTEGER NOT NULL, retired_at INTEGER
    ) STRICT`,
    "CREATE INDEX data_keys_project ON data_keys (project_id, created_at)",

    "CREATE TABLE organizations (id TEXT PRIMARY KEY, name TEXT NOT NULL, created_at INTEGER NOT NULL) STRICT",
    `CREATE TABLE projects (
      id TEXT PRIMARY KEY, org_id TEXT NOT NULL REFERENCES organizations (id), name TEXT NOT NULL, audience TEXT,
      created_at INTEGER NOT NULL
    ) STRICT`,
    `CREATE TABLE api_keys (
      id TEXT PRIMARY KEY, project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE, name TEXT NOT NULL,
      role TEXT NOT NULL, prefix TEXT NOT NULL, hash TEXT NOT NULL UNIQUE, users TEXT,
      created_at INTEGER NOT NULL, expires_at INTEGER
    ) STRICT`,
    "CREATE INDEX api_keys_project ON api_keys (project_id, created_at)",

    // Totals of lists that can become large, updated in the transaction that changes the list.
    `CREATE TABLE counters (
      project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE, name TEXT NOT NULL,
      value INTEGER NOT NULL, PRIMARY KEY (project_id, name)
    ) STRICT`,

    `CREATE TABLE auth_providers (
      project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE, id TEXT NOT NULL, provider_id TEXT,
      type TEXT NOT NULL, description TEXT, external_id TEXT NOT NULL UNIQUE, status TEXT NOT NULL,
      oauth2 TEXT NOT NULL, sealed_client_secret TEXT, sealed_private_key TEXT, version INTEGER NOT NULL,
      created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, PRIMARY KEY (project_id, id)
    ) STRICT`,

    `CREATE TABLE secrets (
      id TEXT PRIMARY KEY, project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE, key TEXT NOT NULL,
      folded_key TEXT NOT NULL, description TEXT, sealed_value TEXT NOT NULL,
      created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, UNIQUE (project_id, folded_key)
    ) STRICT`,

    `CREATE TABLE session_settings (
      project_id TEXT PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE, verifier_url TEXT,
      unsafe_skip INTEGER NOT NULL, updated_at INTEGER NOT NULL
    ) STRICT`,

    `CREATE TABLE connections (
      id TEXT PRIMARY KEY, project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE, user_id TEXT NOT NULL,
      provider_id TEXT NOT NULL, status TEXT NOT NULL, status_reason TEXT, scopes TEXT NOT NULL,
      account TEXT, sealed_tokens TEXT NOT NULL, sealed_facts TEXT, has_refresh INTEGER NOT NULL,
      expires_at INTEGER, refresh_at INTEGER, version INTEGER NOT NULL,
      created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
      UNIQUE (project_id, user_id, provider_id)
    ) STRICT`,
    "CREATE INDEX connections_page ON connections (project_id, created_at, id)",
    "CREATE INDEX connections_provider ON connections (project_id, provider_id, created_at, id)",

    "CREATE INDEX connections_account ON connections (account)",

    // A consent flow. The address, the state and the browser are looked up by their hashes. Values that are needed again
    // (address, state, verifier, a grant that waits for the user check) are sealed.
    `CREATE TABLE authorizations (
      id TEXT PRIMARY KEY, project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE, user_id TEXT NOT NULL,
      provider_id TEXT, provider_version INTEGER, status TEXT NOT NULL, reason TEXT, needed TEXT NOT NULL,
      scopes TEXT NOT NULL, next_uri TEXT, connection_id TEXT,
      address_hash TEXT UNIQUE, sealed_address TEXT, browser_hash TEXT, state_hash TEXT UNIQUE, sealed_exchange TEXT,
      used_at INTEGER, sealed_grant TEXT, check_hash TEXT UNIQUE,
      created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, finished_at INTEGER
    ) STRICT`,
    "CREATE INDEX authorizations_pending ON authorizations (project_id, user_id, provider_id, status)",
    "CREATE INDEX authorizations_old ON authorizations (expires_at)",

    // A released lease stays in the table, because its fence must only grow.
    `CREATE TABLE leases (
      name TEXT PRIMARY KEY, holder TEXT, fence INTEGER NOT NULL, expires_at INTEGER NOT NULL
    ) STRICT`,

    `CREATE TABLE idempotency (
      project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE, credential TEXT NOT NULL, operation TEXT NOT NULL, key_hash TEXT NOT NULL,
      request_hash TEXT NOT NULL, holder TEXT NOT NULL, alive_until INTEGER NOT NULL, sealed_answer TEXT,
      expires_at INTEGER NOT NULL, PRIMARY KEY (project_id, credential, operation, key_hash)
    ) STRICT`,
    "CREATE INDEX idempotency_old ON idempotency (expires_at)",

    `CREATE TABLE audit (
      id TEXT PRIMARY KEY, project_id TEXT, actor TEXT NOT NULL, action TEXT NOT NULL, target TEXT NOT NULL,
      details TEXT, created_at INTEGER NOT NULL
    ) STRICT`,
    "CREATE INDEX audit_page ON audit (project_id, created_at, id)",
  ],
};
