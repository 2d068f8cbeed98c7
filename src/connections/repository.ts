// SQL of connections. Every look-up of a grant has project, user and provider.
import {
  all,
  erase,
  get,
  insertInto,
  query,
  run,
  type Store,
  touch,
  type Transaction,
  update,
} from "../store";

export interface ConnectionRow {
  id: string;
  project_id: string;
  user_id: string;
  provider_id: string;
  status: string;
  status_reason: string | null;
  /** JSON list. */
  scopes: string;
  /** Hash of the account at the provider; null if it is unknown. */
  account: string | null;
  sealed_tokens: string;
  sealed_facts: string | null;
  /** The origins of the provider that the tokens were given for (`Provider.originsId`). */
  origins_id: string;
  has_refresh: number;
  expires_at: number | null;
  /** From this time on the token is refreshed before it expires, ms. */
  refresh_at: number | null;
  /** Until this time the provider wants no refresh, ms. */
  refresh_not_before: number | null;
  /** Grows with every change of the row. */
  version: number;
  /** Grows with every new pair of tokens. */
  token_version: number;
  /** When a process received the grant, in monotonic time of the machine, ms. */
  granted_at: number;
  created_at: number;
  updated_at: number;
}

const SETTABLE = [
  "status",
  "status_reason",
  "scopes",
  "account",
  "sealed_tokens",
  "sealed_facts",
  "origins_id",
  "has_refresh",
  "expires_at",
  "refresh_at",
  "refresh_not_before",
  "version",
  "token_version",
  "granted_at",
  "updated_at",
] as const;
const ALL = ["id", "project_id", "user_id", "provider_id", "created_at", ...SETTABLE] as const;
const COLUMNS = ALL.join(", ");
const FIND = query<ConnectionRow>(
  `SELECT ${COLUMNS} FROM connections WHERE project_id = ? AND user_id = ? AND provider_id = ?`,
);
const FIND_BY_ID = query<ConnectionRow>(`SELECT ${COLUMNS} FROM connections WHERE project_id = ? AND id = ?`);
/** The columns of a list. It leaves out the sealed columns, which are most of a row's bytes. */
export type ListedConnection = Pick<
  ConnectionRow,
  "id" | "user_id" | "provider_id" | "status" | "scopes" | "has_refresh" | "expires_at"
>;
const LISTED = "id, user_id, provider_id, status, scopes, has_refresh, expires_at";
const LIST = query<ListedConnection>(
  `SELECT ${LISTED} FROM connections WHERE project_id = ? ORDER BY created_at, id LIMIT ? OFFSET ?`,
);
const LIST_OF_PROVIDER = query<ListedConnection>(
  `SELECT ${LISTED} FROM connections WHERE project_id = ? AND provider_id = ? ORDER BY created_at, id LIMIT ? OFFSET ?`,
);
const LIST_OF_USER = query<ConnectionRow>(
  `SELECT ${COLUMNS} FROM connections WHERE project_id = ? AND user_id = ? ORDER BY created_at, id LIMIT ? OFFSET ?`,
);
const OF_USER = query<ListedConnection & Pick<ConnectionRow, "created_at">>(
  `SELECT ${LISTED}, created_at FROM connections WHERE project_id = ? AND user_id = ? ORDER BY created_at, id LIMIT ?`,
);
const COUNT_OF_USER = query<{ count: number }>(
  "SELECT COUNT(*) AS count FROM connections WHERE project_id = ? AND user_id = ?",
);
const COUNTER = query<{ value: number }>("SELECT value FROM counters WHERE project_id = ? AND name = ?");
const COUNT = query(
  "INSERT INTO counters (project_id, name, value) VALUES (?, ?, ?) " +
    "ON CONFLICT (project_id, name) DO UPDATE SET value = counters.value + excluded.value",
);
const RESET_COUNTER = query("UPDATE counters SET value = 0 WHERE project_id = ? AND name = ?");
const add = insertInto<ConnectionRow>("connections", ALL);
const change = update<ConnectionRow>("connections", SETTABLE, ["project_id", "id"]);
const DELETE = query("DELETE FROM connections WHERE project_id = ? AND id = ?");
const DELETE_OF_PROVIDER = query("DELETE FROM connections WHERE project_id = ? AND provider_id = ?");
const REVOKE_OF_PROVIDER = query(
  "INSERT INTO revocations (id, project_id, user_id, provider_id, origins_id, sealed_tokens, sealed_facts, attempts, " +
    "due_at, created_at) SELECT lower(hex(randomblob(16))), project_id, user_id, provider_id, origins_id, sealed_tokens, " +
    "sealed_facts, 0, ?, ? FROM connections WHERE project_id = ? AND provider_id = ?",
);

export function findConnection(
  store: Store,
  projectId: string,
  userId: string,
  providerId: string,
): Promise<ConnectionRow | undefined> {
  return store.get(FIND, projectId, userId, providerId);
}

export function findConnectionById(
  store: Store,
  projectId: string,
  id: string,
): Promise<ConnectionRow | undefined> {
  return store.get(FIND_BY_ID, projectId, id);
}

export interface ConnectionFilter {
  userId: string | undefined;
  providerId: string | undefined;
}

export async function listConnections(
  store: Store,
  projectId: string,
  { userId, providerId }: ConnectionFilter,
  limit: number,
  offset: number,
): Promise<ListedConnection[]> {
  if (userId !== undefined && providerId !== undefined) {
    const row = offset === 0 ? await findConnection(store, projectId, userId, providerId) : undefined;
    return row === undefined ? [] : [row];
  }
  if (userId !== undefined) return store.all(LIST_OF_USER, projectId, userId, limit, offset);
  if (providerId !== undefined) return store.all(LIST_OF_PROVIDER, projectId, providerId, limit, offset);
  return store.all(LIST, projectId, limit, offset);
}

/** The connections of one user, with their times. */
export function listOfUser(
  store: Store,
  projectId: string,
  userId: string,
  limit: number,
): Promise<(ListedConnection & Pick<ConnectionRow, "created_at">)[]> {
  return store.all(OF_USER, projectId, userId, limit);
}

/** The number of matches of a filter. Counts of whole lists are updated when they change. */
export async function countConnections(
  store: Store,
  projectId: string,
  { userId, providerId }: ConnectionFilter,
): Promise<number> {
  if (userId !== undefined && providerId !== undefined) {
    return (await findConnection(store, projectId, userId, providerId)) === undefined ? 0 : 1;
  }
  if (userId !== undefined) return (await store.get(COUNT_OF_USER, projectId, userId))?.count ?? 0;
  return (await store.get(COUNTER, projectId, counterName(providerId)))?.value ?? 0;
}

const ACCOUNT_USED = query<{ id: string }>(
  "SELECT id FROM connections WHERE account = ? AND status = 'active' LIMIT 1",
);

/** Whether any connection of any project uses this account. One that has expired needs a new consent in any case. */
export function* isAccountUsed(account: string): Transaction<boolean> {
  return (yield* get(ACCOUNT_USED, account)) !== undefined;
}

const ANY_ACTIVE = query<{ id: string }>(
  "SELECT id FROM connections WHERE project_id = ? AND provider_id = ? AND status = 'active' LIMIT 1",
);
const UNKNOWN_ACTIVE = query<{ id: string }>(
  "SELECT id FROM connections WHERE project_id = ? AND provider_id = ? AND status = 'active' AND account IS NULL LIMIT 1",
);

/** Whether a provider has an active connection; `unknown`: an active one whose account is unknown. */
export function* hasActive(
  { projectId, id }: { projectId: string; id: string },
  which: "all" | "unknown",
): Transaction<boolean> {
  return (yield* get(which === "all" ? ANY_ACTIVE : UNKNOWN_ACTIVE, projectId, id)) !== undefined;
}

export function* connectionInTransaction(
  projectId: string,
  userId: string,
  providerId: string,
): Transaction<ConnectionRow | undefined> {
  return yield* get(FIND, projectId, userId, providerId);
}

export function* connectionByIdInTransaction(
  projectId: string,
  id: string,
): Transaction<ConnectionRow | undefined> {
  return yield* get(FIND_BY_ID, projectId, id);
}

export function* connectionsOfUser(
  projectId: string,
  userId: string,
  limit: number,
): Transaction<ConnectionRow[]> {
  return yield* all(LIST_OF_USER, projectId, userId, limit, 0);
}

export function* addConnection(row: ConnectionRow): Transaction<void> {
  yield* add(row);
  yield* count(row.project_id, row.provider_id, 1);
  yield* touch("connections");
}

export function* updateConnection(row: ConnectionRow): Transaction<void> {
  yield* change(row);
  yield* touch("connections");
}

/** Marks a grant that the user must give again. */
export function* markExpired(row: ConnectionRow, reason: string, now: number): Transaction<void> {
  const version = row.version + 1;
  yield* updateConnection({ ...row, status: "expired", status_reason: reason, version, updated_at: now });
}

export function* deleteConnection(row: ConnectionRow): Transaction<void> {
  yield* erase();
  yield* run(DELETE, row.project_id, row.id);
  yield* count(row.project_id, row.provider_id, -1);
  yield* touch("connections");
}

/**
 * Part of the deletion of a provider, and of a change whose addresses move to other origins: ends its connections, and
 * orders the revocation of their grants at the former addresses.
 */
export function* endConnectionsOfProvider(
  projectId: string,
  providerId: string,
  now: number,
): Transaction<void> {
  yield* run(REVOKE_OF_PROVIDER, now, now, projectId, providerId);
  yield* removeConnections(projectId, providerId);
}

/** Part of the deletion of a provider that cannot revoke. */
export function* removeConnections(projectId: string, providerId: string): Transaction<void> {
  yield* erase();
  const removed = yield* run(DELETE_OF_PROVIDER, projectId, providerId);
  yield* run(COUNT, projectId, counterName(undefined), -removed);
  yield* run(RESET_COUNTER, projectId, counterName(providerId));
  yield* touch("connections");
}

function* count(projectId: string, providerId: string, by: 1 | -1): Transaction<void> {
  yield* run(COUNT, projectId, counterName(undefined), by);
  yield* run(COUNT, projectId, counterName(providerId), by);
}

function counterName(providerId: string | undefined): string {
  return providerId === undefined ? "connections" : `connections of ${providerId}`;
}
