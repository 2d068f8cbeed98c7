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
  type Store,
  touch,
  type Transaction,
} from "../store";
import type { PersonRole } from "../identity";

export type UserRow = Readonly<Record<string, SqlValue>>;

export interface UserCounts {
  connections: number;
  scheduled_runs: number;
  passkeys: number;
  sessions: number;
  clients: number;
}

/** Of an invited person. */
export interface InvitedUser {
  role?: PersonRole;
  name?: string;
}

export interface UserTable {
  /** The list of the export. */
  name: string;
  /** Parameters: project and user. */
  rows: Query<UserRow>;
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
        "WHERE project_id = ? AND user_id = ? ORDER BY expires_at",
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
    rows: query(
      "SELECT id FROM workers WHERE project_id = ? AND json_extract(config, '$.authorization.user') = ? ORDER BY id",
    ),
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
const DELETE_ANSWERS = query("DELETE FROM idempotency WHERE project_id = ? AND user_id = ?");
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
const LEAVE_WORKERS = query(
  "UPDATE workers SET config = json_remove(config, '$.authorization.user'), version = version + 1 " +
    "WHERE project_id = ? AND json_extract(config, '$.authorization.user') = ?",
);

/** Deletes the rows of `TABLES`. */
export function* removeUser(projectId: string, userId: string): Transaction<void> {
  yield* erase();
  yield* run(DELETE_FLOWS, projectId, userId);
  const runs = yield* run(DELETE_RUNS, projectId, userId);
  yield* run(COUNT_DOWN, runs, projectId);
  yield* run(DELETE_ANSWERS, projectId, userId);
  yield* unpin({ projectId, userId });
  yield* unpinWorkloads({ projectId, userId });
  yield* run(DELETE_SUSPENSION, projectId, userId);
  yield* run(LEAVE_WORKERS, projectId, userId);
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

// Each part reads as many users as the page can have.
const PARTS_OF = [
  "connections",
  "authorizations",
  "scheduled_runs",
  "revocations",
  "idempotency",
  "audit_people",
  "suspended_users",
  "people",
  "browser_sessions",
  "identities",
  "client_grants",
] as const;
const PARTS = PARTS_OF.map((table) =>
  query<{ user_id: string }>(
    `SELECT DISTINCT user_id FROM ${table} WHERE project_id = ? AND user_id > ? AND user_id NOT LIKE 'erased-%' ` +
      "ORDER BY user_id LIMIT ?",
  ),
);
const IS_NAMED = PARTS_OF.map((table) =>
  query<{ user_id: string }>(`SELECT user_id FROM ${table} WHERE project_id = ? AND user_id = ? LIMIT 1`),
);
const HAS_EXECUTED = query<{ user_id: string }>(
  "SELECT user_id FROM executions WHERE project_id = ? AND user_id = ? LIMIT 1",
);
const EXECUTED = query<{ user_id: string }>(
  "SELECT DISTINCT user_id FROM executions WHERE project_id = ? AND user_id > ? ORDER BY user_id LIMIT ?",
);
const countsIn = (table: string) =>
  query<{ user_id: string; count: number }>(
    `SELECT user_id, COUNT(*) AS count FROM ${table} WHERE project_id = ? AND user_id IN (SELECT value FROM json_each(?)) ` +
      "GROUP BY user_id",
  );
const COUNTED = {
  connections: countsIn("connections"),
  scheduled_runs: countsIn("scheduled_runs"),
  passkeys: countsIn("passkeys"),
  sessions: countsIn("browser_sessions"),
  clients: countsIn("client_grants"),
} as const;
const INVITED = query<{ user_id: string; role: PersonRole; name: string | null }>(
  "SELECT user_id, role, name FROM people WHERE project_id = ? AND user_id IN (SELECT value FROM json_each(?))",
);

/** The ids of users after one, in the order of their bytes. Those of erased users begin with a control character. */
export async function userIds(
  { store, logStore }: { store: Store; logStore: Store },
  projectId: string,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const found = await Promise.all([
    ...PARTS.map((part) => store.all(part, projectId, after, limit)),
    logStore.all(EXECUTED, projectId, after, limit),
  ]);
  const ids = new Set(found.flat().map(({ user_id }) => user_id));
  return [...ids].toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))).slice(0, limit);
}

/** The user, if something is stored. */
export async function knownUser(
  { store, logStore }: { store: Store; logStore: Store },
  projectId: string,
  userId: string,
): Promise<string[]> {
  const found = await Promise.all([
    ...IS_NAMED.map((part) => store.get(part, projectId, userId)),
    logStore.get(HAS_EXECUTED, projectId, userId),
  ]);
  return found.some((row) => row !== undefined) ? [userId] : [];
}

/** What is stored about users, by their ids. */
export async function countsOf(
  store: Store,
  projectId: string,
  userIds: readonly string[],
): Promise<(userId: string) => UserCounts & InvitedUser> {
  const ids = JSON.stringify(userIds);
  const counted = async (statement: Query<{ user_id: string; count: number }>) => {
    const rows = await store.all(statement, projectId, ids);
    const counts = new Map(rows.map(({ user_id, count }) => [user_id, count]));
    return (userId: string): number => counts.get(userId) ?? 0;
  };
  const [invited, connections, runs, passkeys, sessions, clients] = await Promise.all([
    store.all(INVITED, projectId, ids),
    counted(COUNTED.connections),
    counted(COUNTED.scheduled_runs),
    counted(COUNTED.passkeys),
    counted(COUNTED.sessions),
    counted(COUNTED.clients),
  ]);
  const people = new Map(invited.map(({ user_id, role, name }) => [user_id, { role, name }]));
  return (userId) => {
    const person = people.get(userId);
    return {
      connections: connections(userId),
      scheduled_runs: runs(userId),
      ...(person === undefined ? {} : { role: person.role }),
      ...(person === undefined || person.name === null ? {} : { name: person.name }),
      passkeys: passkeys(userId),
      sessions: sessions(userId),
      clients: clients(userId),
    };
  };
}
