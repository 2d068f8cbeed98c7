// SQL of what is stored about users, over the tables of all areas. A new column with a user belongs here too; a test compares.
import { endAccess } from "../people";
import {
  all,
  command,
  erase,
  query,
  type Query,
  run,
  type SqlValue,
  touch,
  type Transaction,
} from "../store";

export type UserRow = Readonly<Record<string, SqlValue>>;

export interface UserTable {
  /** The list of the export. */
  name: string;
  /** Parameters: project and user. */
  rows: Query<UserRow>;
  /** What the export shows of a row; undefined: the row is not about the user. Absent: the whole row. */
  shown?: (row: UserRow, userId: string) => UserRow | undefined;
}

/** In `runtime.db`, except for grants and the audit trail. */
export const TABLES: readonly UserTable[] = [
  {
    name: "consents",
    rows: query(
      "SELECT id, provider_id, status, reason, needed, scopes, next_uri, connection_id, created_at, expires_at, used_at, " +
        "finished_at FROM authorizations WHERE project_id = ? AND user_id = ? ORDER BY created_at, id",
    ),
  },
  {
    name: "scheduled_runs",
    rows: query(
      "SELECT id, execution_id, actor, toolkit_name, tool_name, toolkit_version, status, run_at, created_at, started_at, " +
        "finished_at, sealed_input FROM scheduled_runs WHERE project_id = ? AND user_id = ? ORDER BY created_at, id",
    ),
  },
  {
    name: "remembered",
    rows: query(
      "SELECT kind, name, part, stored_at, bytes FROM tool_memory WHERE project_id = ? AND connection_id IN " +
        "(SELECT id FROM connections WHERE user_id = ? AND connections.project_id = tool_memory.project_id) ORDER BY kind, name, part",
    ),
  },
  {
    name: "answers",
    rows: query(
      "SELECT project_id, credential, operation, key_hash, sealed_answer, expires_at FROM idempotency " +
        "WHERE project_id = ? AND ? IN (user_id, CASE WHEN SUBSTR(credential, 1, 5) = 'user:' THEN SUBSTR(credential, 6) END) " +
        "ORDER BY expires_at",
    ),
  },
  {
    name: "keys",
    rows: query(
      "SELECT id, name, role FROM api_keys WHERE project_id = ? AND EXISTS " +
        "(SELECT 1 FROM json_each(users) WHERE value = ?) ORDER BY id",
    ),
  },
  {
    name: "workloads",
    rows: query(
      "SELECT id, name, role FROM workloads WHERE project_id = ? AND EXISTS " +
        "(SELECT 1 FROM json_each(users) WHERE value = ?) ORDER BY id",
    ),
  },
  {
    name: "suspensions",
    rows: query("SELECT created_at FROM suspended_users WHERE project_id = ? AND user_id = ?"),
  },
  {
    name: "workers",
    rows: query("SELECT id, config FROM workers WHERE project_id = ? AND ? <> '' ORDER BY id"),
    shown: ({ id = null, config }, userId) =>
      JSON.parse(String(config)).authorization?.user === userId ? { id } : undefined,
  },
  {
    name: "people",
    rows: query("SELECT role, name, created_at FROM people WHERE project_id = ? AND user_id = ?"),
  },
  {
    name: "passkeys",
    rows: query(
      "SELECT name, transports, created_at, used_at FROM passkeys WHERE project_id = ? AND user_id = ? ORDER BY created_at, id",
    ),
  },
  {
    name: "sign_in_links",
    rows: query(
      "SELECT kind, created_at, expires_at FROM sign_in_links WHERE project_id = ? AND user_id = ? ORDER BY created_at, hash",
    ),
  },
  {
    name: "sessions",
    rows: query(
      "SELECT id, method, user_agent, address, created_at, used_at, expires_at FROM browser_sessions " +
        "WHERE project_id = ? AND user_id = ? ORDER BY created_at, id",
    ),
  },
  {
    name: "identities",
    rows: query(
      "SELECT subject, groups_json AS groups, read_at FROM identities WHERE project_id = ? AND user_id = ?",
    ),
  },
  {
    name: "clients",
    rows: query(
      "SELECT id, client_id, client_name, resource, scopes AS allowed, created_at, used_at FROM client_grants " +
        "WHERE project_id = ? AND user_id = ? ORDER BY created_at, id",
    ),
  },
  {
    name: "client_tokens",
    rows: query(
      "SELECT kind, client_id, created_at, expires_at, consumed_at FROM oauth_items " +
        "WHERE project_id = ? AND user_id = ? ORDER BY created_at, kind, hash",
    ),
  },
];

export const CONNECTIONS = query<UserRow>(
  "SELECT id, project_id, user_id, provider_id, status, status_reason, scopes, expires_at, created_at, updated_at, " +
    "sealed_facts FROM connections WHERE project_id = ? AND user_id = ? ORDER BY created_at, id",
);
export const REVOCATIONS = query<UserRow>(
  "SELECT provider_id, attempts, due_at, created_at FROM revocations WHERE project_id = ? AND user_id = ? ORDER BY created_at",
);
export const ATTEMPTS = query<UserRow>(
  "SELECT id, started_at, finished_at, success, system_error, sealed_output FROM scheduled_attempts " +
    "WHERE project_id = ? AND run_id = ? ORDER BY fence",
);

const DELETE_FLOWS = query("DELETE FROM authorizations WHERE project_id = ? AND user_id = ?");
const DELETE_RUNS = query("DELETE FROM scheduled_runs WHERE project_id = ? AND user_id = ?");
const COUNT_DOWN = query(
  "UPDATE counters SET value = value - ? WHERE project_id = ? AND name = 'scheduled runs'",
);
// Of calls for the user, and of those that the user has made with a token.
const DELETE_ANSWERS = query(
  "DELETE FROM idempotency WHERE project_id = ? AND (user_id = ? OR credential = ?)",
);
const unpin = command<{ projectId: string; userId: string }>(
  "UPDATE api_keys SET users = (SELECT json_group_array(value) FROM json_each(api_keys.users) WHERE value <> :userId) " +
    "WHERE project_id = :projectId AND EXISTS (SELECT 1 FROM json_each(api_keys.users) WHERE value = :userId)",
);
const unpinWorkloads = command<{ projectId: string; userId: string }>(
  "UPDATE workloads SET users = (SELECT json_group_array(value) FROM json_each(workloads.users) WHERE value <> :userId) " +
    "WHERE project_id = :projectId AND EXISTS (SELECT 1 FROM json_each(workloads.users) WHERE value = :userId)",
);
// With it go passkeys and links.
const DELETE_PERSON = query("DELETE FROM people WHERE project_id = ? AND user_id = ?");
const INVITED_BY = [
  query("UPDATE people SET created_by = 'erased' WHERE project_id = ? AND created_by = ?"),
  query("UPDATE sign_in_links SET created_by = 'erased' WHERE project_id = ? AND created_by = ?"),
];
const DELETE_SUSPENSION = query("DELETE FROM suspended_users WHERE project_id = ? AND user_id = ?");
const WORKERS = query<{ id: string; config: string }>("SELECT id, config FROM workers WHERE project_id = ?");
const CHANGE_WORKER = query(
  "UPDATE workers SET config = ?, version = version + 1 WHERE project_id = ? AND id = ?",
);

/** Workers whose catalog is read for the user are without an account from now on. */
function* leaveWorkers(projectId: string, userId: string): Transaction<void> {
  for (const { id, config } of yield* all(WORKERS, projectId)) {
    const { authorization, ...others } = JSON.parse(config);
    if (authorization?.user !== userId) continue;
    const { user: _user, ...kept } = authorization;
    yield* run(CHANGE_WORKER, JSON.stringify({ ...others, authorization: kept }), projectId, id);
  }
}

/** Deletes the rows of `TABLES`. */
export function* removeUser(projectId: string, userId: string): Transaction<void> {
  yield* erase();
  yield* run(DELETE_FLOWS, projectId, userId);
  const runs = yield* run(DELETE_RUNS, projectId, userId);
  yield* run(COUNT_DOWN, runs, projectId);
  yield* run(DELETE_ANSWERS, projectId, userId, `user:${userId}`);
  yield* unpin({ projectId, userId });
  yield* unpinWorkloads({ projectId, userId });
  yield* run(DELETE_SUSPENSION, projectId, userId);
  yield* leaveWorkers(projectId, userId);
  yield* endAccess(projectId, userId);
  yield* run(DELETE_PERSON, projectId, userId);
  for (const statement of INVITED_BY) yield* run(statement, projectId, `user:${userId}`);
  for (const kind of [
    "authorizations",
    "idempotency",
    "keys",
    "workers",
    "suspensions",
    "workloads",
  ] as const)
    yield* touch(kind);
}

export function* rowsInTransaction(
  { rows }: UserTable,
  projectId: string,
  userId: string,
): Transaction<UserRow[]> {
  return yield* all(rows, projectId, userId);
}
