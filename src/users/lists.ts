// SQL of the list of users: who they are, and how much is stored about them.
import type { PersonRole } from "../identity";
import { query, type Query, type Store } from "../store";

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
    `SELECT DISTINCT user_id FROM ${table} WHERE project_id = ? AND user_id > ? ORDER BY user_id LIMIT ?`,
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
