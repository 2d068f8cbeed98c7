// SQL of browser sessions.
import { all, insertInto, query, run, type Store, touch, type Transaction } from "../store";
import type { SessionMethod } from "./terms";

export interface SessionRow {
  id: string;
  project_id: string;
  user_id: string;
  hash: string;
  started_by: string;
  method: SessionMethod;
  user_agent: string | null;
  address: string | null;
  created_at: number;
  used_at: number;
  expires_at: number;
  /** Of the project. */
  incarnation: string;
}

const STORED = [
  "id",
  "project_id",
  "user_id",
  "hash",
  "started_by",
  "method",
  "user_agent",
  "address",
  "created_at",
  "used_at",
  "expires_at",
] as const;
const COLUMNS = `${STORED.join(", ")}, (SELECT incarnation FROM projects WHERE projects.id = project_id) AS incarnation`;
// By 256 random bits, before the project is known; the caller compares the project.
const FIND = query<SessionRow>(`SELECT ${COLUMNS} FROM browser_sessions WHERE hash = ?`);
const LIST = query<SessionRow>(
  `SELECT ${COLUMNS} FROM browser_sessions WHERE project_id = ? AND user_id = ? ORDER BY created_at DESC, id DESC`,
);
const STARTED = query<{ id: string }>("SELECT id FROM browser_sessions WHERE started_by = ?");
const insert = insertInto<Omit<SessionRow, "incarnation">>("browser_sessions", STORED);
const STAMP = query("UPDATE browser_sessions SET used_at = ? WHERE id = ? AND used_at < ?");
const REMOVE = query("DELETE FROM browser_sessions WHERE project_id = ? AND user_id = ? AND id = ?");
const REMOVE_OF = query("DELETE FROM browser_sessions WHERE project_id = ? AND user_id = ?");
const REMOVE_OF_OTHER_METHODS = query(
  "DELETE FROM browser_sessions WHERE project_id = ? AND method <> ? AND method <> ?",
);
const REMOVE_HASH = query("DELETE FROM browser_sessions WHERE project_id = ? AND hash = ?");
const REMOVE_EXPIRED = query("DELETE FROM browser_sessions WHERE expires_at <= ?");
const REMOVE_OLDEST = query(
  `DELETE FROM browser_sessions WHERE project_id = ? AND user_id = ? AND id NOT IN (
    SELECT id FROM browser_sessions WHERE project_id = ? AND user_id = ? ORDER BY created_at DESC, id DESC LIMIT ?)`,
);

export function findByHash(store: Store, hash: string): Promise<SessionRow | undefined> {
  return store.get(FIND, hash);
}

export function listOf(store: Store, projectId: string, userId: string): Promise<SessionRow[]> {
  return store.all(LIST, projectId, userId);
}

/** False if a session was started by the same before. */
export function* add(row: Omit<SessionRow, "incarnation">): Transaction<boolean> {
  if ((yield* all(STARTED, row.started_by)).length > 0) return false;
  yield* insert(row);
  yield* touch("sessions");
  return true;
}

export function stamp(id: string, now: number): Transaction<number> {
  return run(STAMP, now, id, now);
}

export function* remove(projectId: string, userId: string, id: string): Transaction<number> {
  const removed = yield* run(REMOVE, projectId, userId, id);
  // Unknown ids must not empty the caches.
  if (removed > 0) yield* touch("sessions");
  return removed;
}

export function* removeOf(projectId: string, userId: string): Transaction<number> {
  yield* touch("sessions");
  return yield* run(REMOVE_OF, projectId, userId);
}

export function* removeByHash(projectId: string, hash: string): Transaction<number> {
  yield* touch("sessions");
  return yield* run(REMOVE_HASH, projectId, hash);
}

/** They work no more, so caches need not know. */
export function removeExpired(now: number): Transaction<number> {
  return run(REMOVE_EXPIRED, now);
}

/** Those of people who have signed in by none of these two methods. */
export function* removeOfOtherMethods(projectId: string, methods: readonly [string, string]) {
  yield* touch("sessions");
  return yield* run(REMOVE_OF_OTHER_METHODS, projectId, ...methods);
}

/** Keeps the newest `keep` sessions of a person. */
export function* removeOldest(projectId: string, userId: string, keep: number): Transaction<number> {
  yield* touch("sessions");
  return yield* run(REMOVE_OLDEST, projectId, userId, projectId, userId, keep);
}
