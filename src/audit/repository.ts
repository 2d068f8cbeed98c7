// SQL of the audit trail.
import { command, get, named, query, type Store, type Transaction } from "../store";

export interface AuditRow {
  id: string;
  projectId: string | null;
  actor: string;
  action: string;
  target: string;
  details: string | null;
  createdAt: number;
}

export const addAuditRow = command<AuditRow>(
  "INSERT INTO audit (id, project_id, actor, action, target, details, created_at) " +
    "VALUES (:id, :projectId, :actor, :action, :target, :details, :createdAt)",
);

export interface StoredAuditRow {
  id: string;
  actor: string;
  action: string;
  target: string;
  details: string | null;
  created_at: number;
}

/** A window of the trail, newest first; an empty text means "any". Ids sort by time. */
export interface AuditWindow {
  actor: string;
  action: string;
  target: string;
  /** The smallest id of an entry at `sinceTime`. */
  sinceId: string;
  sinceTime: number;
  beforeId: string;
  limit: number;
}

const COLUMNS = "id, actor, action, target, details, created_at";
const FILTER =
  "(:actor = '' OR actor = :actor) AND (:action = '' OR SUBSTR(action, 1, LENGTH(:action)) = :action) " +
  "AND (:target = '' OR target = :target) AND id >= :sinceId AND created_at >= :sinceTime AND id < :beforeId " +
  "ORDER BY id DESC LIMIT :limit";

const LIST = named<AuditWindow & { projectId: string }, StoredAuditRow>(
  `SELECT ${COLUMNS} FROM audit WHERE project_id = :projectId AND ${FILTER}`,
);
const LIST_DEPLOYMENT = named<AuditWindow, StoredAuditRow>(
  `SELECT ${COLUMNS} FROM audit WHERE project_id IS NULL AND ${FILTER}`,
);
const FIND = query<{ id: string }>("SELECT id FROM audit WHERE project_id = ? AND id = ?");
const FIND_DEPLOYMENT = query<{ id: string }>("SELECT id FROM audit WHERE project_id IS NULL AND id = ?");

/** Entries of a project; null: of the deployment. */
export function listAudit(
  store: Store,
  projectId: string | null,
  window: AuditWindow,
): Promise<StoredAuditRow[]> {
  return projectId === null
    ? store.all(LIST_DEPLOYMENT, ...LIST_DEPLOYMENT.values(window))
    : store.all(LIST, ...LIST.values({ ...window, projectId }));
}

export async function hasAuditEntry(store: Store, projectId: string | null, id: string): Promise<boolean> {
  const row = projectId === null ? store.get(FIND_DEPLOYMENT, id) : store.get(FIND, projectId, id);
  return (await row) !== undefined;
}

const BEGIN = query<{ created_at: number }>("SELECT created_at FROM projects WHERE id = ?");

/** When the project was created, ms; undefined if it does not exist. */
export async function beginOfProject(store: Store, projectId: string): Promise<number | undefined> {
  return (await store.get(BEGIN, projectId))?.created_at;
}

export function* beginInTransaction(projectId: string): Transaction<number | undefined> {
  return (yield* get(BEGIN, projectId))?.created_at;
}

const NEWEST_ID = query<{ id: string }>("SELECT id FROM audit WHERE project_id = ? ORDER BY id DESC LIMIT 1");
const NEWEST_DEPLOYMENT_ID = query<{ id: string }>(
  "SELECT id FROM audit WHERE project_id IS NULL ORDER BY id DESC LIMIT 1",
);

/** The last committed entry of a project; null: of the deployment. */
export function* newestAuditId(projectId: string | null): Transaction<string | undefined> {
  const row = projectId === null ? yield* get(NEWEST_DEPLOYMENT_ID) : yield* get(NEWEST_ID, projectId);
  return row?.id;
}

const NEWEST = query<{ created_at: number }>(
  "SELECT created_at FROM audit WHERE project_id = ? ORDER BY id DESC LIMIT 1",
);

export async function newestAuditTime(store: Store, projectId: string): Promise<number | undefined> {
  return (await store.get(NEWEST, projectId))?.created_at;
}
