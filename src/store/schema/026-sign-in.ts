// People who sign in: their roles, passkeys and sessions, the clients that act for them, and machines that bring tokens.
import type { Migration } from "../migrate";
import { lateWriteTriggers } from "./013-late-writes";
import { generations } from "./generations";

const OF_PROJECT = "project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE";
const PERSON = "project_id TEXT NOT NULL, user_id TEXT NOT NULL";
const OF_PERSON =
  "FOREIGN KEY (project_id, user_id) REFERENCES people (project_id, user_id) ON DELETE CASCADE";

export const signIn: Migration = {
  version: 26,
  name: "sign-in",
  statements: [
    // How people sign in to a project; null: as the deployment says.
    "ALTER TABLE projects ADD COLUMN sign_in TEXT",
    // Groups whose members may use a gateway, as JSON; null: everybody who can sign in.
    "ALTER TABLE gateways ADD COLUMN allowed_groups TEXT",
    `CREATE TABLE people (
      ${OF_PROJECT}, user_id TEXT NOT NULL, role TEXT NOT NULL, name TEXT,
      created_at INTEGER NOT NULL, created_by TEXT NOT NULL,
      PRIMARY KEY (project_id, user_id)
    ) STRICT`,
    `CREATE TABLE passkeys (
      ${PERSON}, id TEXT NOT NULL, public_key TEXT NOT NULL, counter INTEGER NOT NULL, transports TEXT, name TEXT NOT NULL,
      created_at INTEGER NOT NULL, used_at INTEGER, PRIMARY KEY (project_id, id), ${OF_PERSON}
    ) STRICT`,
    "CREATE INDEX passkeys_of_person ON passkeys (project_id, user_id)",
    // One-time links: to set a passkey, or to sign in where passkeys cannot work.
    `CREATE TABLE sign_in_links (
      ${PERSON}, hash TEXT NOT NULL PRIMARY KEY, kind TEXT NOT NULL CHECK (kind IN ('passkey', 'session')),
      created_at INTEGER NOT NULL, created_by TEXT NOT NULL, expires_at INTEGER NOT NULL, ${OF_PERSON}
    ) STRICT`,
    "CREATE INDEX sign_in_links_of_person ON sign_in_links (project_id, user_id)",
    // Challenges that passkeys have answered, until they expire: each works once. The others are not stored.
    `CREATE TABLE used_challenges (
      hash TEXT NOT NULL PRIMARY KEY, ${OF_PROJECT}, expires_at INTEGER NOT NULL
    ) STRICT`,
    "CREATE INDEX used_challenges_end ON used_challenges (expires_at)",
    // `started_by`: hash of the sign-in that began the session, so that none begins two.
    `CREATE TABLE browser_sessions (
      id TEXT NOT NULL PRIMARY KEY, ${OF_PROJECT}, user_id TEXT NOT NULL, hash TEXT NOT NULL UNIQUE,
      started_by TEXT NOT NULL UNIQUE, method TEXT NOT NULL, user_agent TEXT, address TEXT,
      created_at INTEGER NOT NULL, used_at INTEGER NOT NULL, expires_at INTEGER NOT NULL
    ) STRICT`,
    "CREATE INDEX browser_sessions_of_person ON browser_sessions (project_id, user_id)",
    "CREATE INDEX browser_sessions_end ON browser_sessions (expires_at)",
    // What the identity provider says about a person, and the tokens with which it is asked again. `claimed_at`: when a server
    // began to ask; `failed_at`: when that failed.
    `CREATE TABLE identities (
      ${OF_PROJECT}, user_id TEXT NOT NULL, subject TEXT NOT NULL, groups_json TEXT NOT NULL, read_at INTEGER NOT NULL,
      claimed_at INTEGER NOT NULL, failed_at INTEGER NOT NULL, sealed_tokens TEXT, PRIMARY KEY (project_id, user_id)
    ) STRICT`,
    ...lateWriteTriggers("identities", "sealed_tokens"),
    // What a person has allowed a client. `resource`: id of the gateway; empty: the API of the project.
    `CREATE TABLE client_grants (
      id TEXT NOT NULL PRIMARY KEY, ${OF_PROJECT}, user_id TEXT NOT NULL, client_id TEXT NOT NULL, client_name TEXT,
      resource TEXT NOT NULL, scopes TEXT NOT NULL, created_at INTEGER NOT NULL, used_at INTEGER,
      UNIQUE (project_id, user_id, client_id, resource)
    ) STRICT`,
    "CREATE INDEX client_grants_of_client ON client_grants (client_id)",
    // What the authorization server keeps, by kind and hash: codes, refresh tokens, interactions, device codes. `grant_hash`:
    // of the tokens of one sign-in. A row of the kind Grant says that they are alive.
    `CREATE TABLE oauth_items (
      kind TEXT NOT NULL, hash TEXT NOT NULL, ${OF_PROJECT}, user_id TEXT, client_id TEXT,
      grant_id TEXT REFERENCES client_grants (id) ON DELETE CASCADE, grant_hash TEXT, user_code_hash TEXT,
      sealed_payload TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER, consumed_at INTEGER,
      PRIMARY KEY (kind, hash)
    ) STRICT`,
    "CREATE INDEX oauth_items_of_grant ON oauth_items (grant_id) WHERE grant_id IS NOT NULL",
    "CREATE INDEX oauth_items_of_sign_in ON oauth_items (grant_hash) WHERE grant_hash IS NOT NULL",
    "CREATE INDEX oauth_items_of_code ON oauth_items (kind, user_code_hash) WHERE user_code_hash IS NOT NULL",
    "CREATE INDEX oauth_items_end ON oauth_items (expires_at) WHERE expires_at IS NOT NULL",
    "CREATE INDEX oauth_items_of_project ON oauth_items (project_id)",
    ...lateWriteTriggers("oauth_items", "sealed_payload"),
    // Clients that registered themselves and that somebody has allowed something, or that were revoked. Sealed with the data key
    // of the default project, because they belong to none.
    `CREATE TABLE oauth_clients (
      id TEXT NOT NULL PRIMARY KEY, ${OF_PROJECT}, name TEXT, sealed_metadata TEXT NOT NULL,
      created_at INTEGER NOT NULL, used_at INTEGER NOT NULL, revoked_at INTEGER
    ) STRICT`,
    "CREATE INDEX oauth_clients_end ON oauth_clients (used_at)",
    ...lateWriteTriggers("oauth_clients", "sealed_metadata"),
    // Keys that sign access tokens. Of the installation, sealed with the data key of the default project.
    `CREATE TABLE token_keys (
      id TEXT NOT NULL PRIMARY KEY, ${OF_PROJECT},
      state TEXT NOT NULL CHECK (state IN ('next', 'current', 'retired')), since INTEGER NOT NULL,
      public_key TEXT NOT NULL, sealed_private_key TEXT, created_at INTEGER NOT NULL
    ) STRICT`,
    "CREATE UNIQUE INDEX token_keys_state ON token_keys (state) WHERE state <> 'retired'",
    ...lateWriteTriggers("token_keys", "sealed_private_key"),
    // The key that has replaced this one in a rotation.
    "ALTER TABLE api_keys ADD COLUMN replaced_by TEXT",
    // Machines whose own tokens are accepted in place of an API key.
    `CREATE TABLE workloads (
      id TEXT NOT NULL PRIMARY KEY, ${OF_PROJECT}, name TEXT NOT NULL, issuer TEXT NOT NULL, audience TEXT NOT NULL,
      subject TEXT NOT NULL, role TEXT NOT NULL, users TEXT, created_at INTEGER NOT NULL, UNIQUE (project_id, name)
    ) STRICT`,
    generations("people", "sessions", "clients", "token_keys", "workloads"),
  ],
};
