// SQL of the audit trail.
import { type Awaitable, query, run, type Store, type Transaction } from "../store";

export interface AuditRow {
  id: string;
  projectId: string | null;
  actor: string;
  action: string;
  target: string;
  details: string | null;
  createdAt: number;
}

const ADD = query(
  "INSERT INTO audit (id, project_id, actor, action, target, details, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
);

export function addAuditRow(row: AuditRow): Transaction<number> {
  return run(ADD, row.id, row.projectId, row.actor, row.action, row.target, row.details, row.createdAt);
}

export interface StoredAuditRow {
  id: string;
  actor: string;
  action: string;
  target: string;
  details: string | null;
  created_at: number;
}

/** The newest entries between two points of the trail; an empty text stands for "any". Ids sort by time. */
export interface AuditWindow {
  actor: string;
  action: string;
  target: string;
  /** Entries of a moment have no smaller id than the one that is made for it. */
  sinceId: string;
  sinceTime: number;
  beforeId: string;
  limit: number;
}

const COLUMNS = "id, actor, action, target, details, created_at";
const FILTER =
  "(? = '' OR actor = ?) AND (? = '' OR SUBSTR(action, 1, LENGTH(?)) = ?) AND (? = '' OR target = ?) " +
  "AND id >= ? AND created_at >= ? AND id < ? ORDER BY id DESC LIMIT ?";

const LIST = query<StoredAuditRow>(`SELECT ${COLUMNS} FROM audit WHERE project_id = ? AND ${FILTER}`);
const LIST_DEPLOYMENT = query<StoredAuditRow>(
  `SELECT ${COLUMNS} FROM audit WHERE project_id IS NULL AND ${FILTER}`,
);
const FIND = query<{ id: string }>("SELECT id FROM audit WHERE project_id = ? AND id = ?");
const FIND_DEPLOYMENT = query<{ id: string }>("SELECT id FROM audit WHERE project_id IS NULL AND id = ?");

/** Of a project, or with null of what concerns the whole deployment. */
export function listAudit(
  store: Store,
  projectId: string | null,
  { actor, action, target, sinceId, sinceTime, beforeId, limit }: AuditWindow,
): Awaitable<StoredAuditRow[]> {
  const texts = [actor, actor, action, action, action, target, target] as const;
  const filter = [...texts, sinceId, sinceTime, beforeId, limit] as const;
  return projectId === null ? store.all(LIST_DEPLOYMENT, ...filter) : store.all(LIST, projectId, ...filter);
}

export async function hasAuditEntry(store: Store, projectId: string | null, id: string): Promise<boolean> {
  const row = projectId === null ? store.get(FIND_DEPLOYMENT, id) : store.get(FIND, projectId, id);
  return (await row) !== undefined;
}

const BEGIN = query<{ created_at: number }>("SELECT created_at FROM projects WHERE id = ?");

/** When the project was made, ms; undefined when there is none. */
export async function beginOfProject(store: Store, projectId: string): Promise<number | undefined> {
  return (await store.get(BEGIN, projectId))?.created_at;
}

const NEWEST = query<{ created_at: number }>(
  "SELECT created_at FROM audit WHERE project_id = ? ORDER BY id DESC LIMIT 1",
);

export async function newestAuditTime(store: Store, projectId: string): Promise<number | undefined> {
  return (await store.get(NEWEST, projectId))?.created_at;
}
