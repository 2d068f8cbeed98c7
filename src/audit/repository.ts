// SQL of the audit trail.
import { command, get, named, query, type Store, type Transaction } from "../store";

export interface AuditRow {
  id: string;
  projectId: string | null;
  /** Of the project; empty for the deployment. */
  incarnation: string;
  actor: string;
  action: string;
  target: string;
  details: string | null;
  createdAt: number;
}

export const addAuditRow = command<AuditRow>(
  "INSERT INTO audit (id, project_id, incarnation, actor, action, target, details, created_at) " +
    "VALUES (:id, :projectId, :incarnation, :actor, :action, :target, :details, :createdAt)",
);

export interface StoredAuditRow {
  id: string;
  actor: string;
  action: string;
  target: string;
  details: string | null;
  created_at: number;
}

/** A window of the trail, newest first; an empty text means "any". Ids sort by the order of the commits. */
export interface AuditWindow {
  actor: string;
  action: string;
  target: string;
  beforeId: string;
  limit: number;
}

const COLUMNS = "id, actor, action, target, details, created_at";
const FILTER =
  "(:actor = '' OR actor = :actor) AND (:action = '' OR SUBSTR(action, 1, LENGTH(:action)) = :action) " +
  "AND (:target = '' OR target = :target) AND id < :beforeId " +
  "ORDER BY id DESC LIMIT :limit";

const LIST = named<AuditWindow & ProjectPart, StoredAuditRow>(
  `SELECT ${COLUMNS} FROM audit WHERE project_id = :projectId AND incarnation = :incarnation AND ${FILTER}`,
);
const LIST_DEPLOYMENT = named<AuditWindow, StoredAuditRow>(
  `SELECT ${COLUMNS} FROM audit WHERE project_id IS NULL AND ${FILTER}`,
);
const FIND = named<ProjectPart & { id: string }, { id: string }>(
  "SELECT id FROM audit WHERE project_id = :projectId AND incarnation = :incarnation AND id = :id",
);
const FIND_DEPLOYMENT = query<{ id: string }>("SELECT id FROM audit WHERE project_id IS NULL AND id = ?");
const NEWEST = query<{ id: string }>("SELECT id FROM audit WHERE project_id = ? ORDER BY id DESC LIMIT 1");
const NEWEST_OF_DEPLOYMENT = query<{ id: string }>(
  "SELECT id FROM audit WHERE project_id IS NULL ORDER BY id DESC LIMIT 1",
);
const NEWEST_TIME = named<ProjectPart, { created_at: number }>(
  "SELECT created_at FROM audit WHERE project_id = :projectId AND incarnation = :incarnation ORDER BY id DESC LIMIT 1",
);

/** A project, not an earlier one with the same id. */
export interface ProjectPart {
  projectId: string;
  incarnation: string;
}

/** The id of the last entry of a project or an earlier one with its id; null: of the deployment. */
export function* newestAuditId(projectId: string | null): Transaction<string | undefined> {
  const row = projectId === null ? yield* get(NEWEST_OF_DEPLOYMENT) : yield* get(NEWEST, projectId);
  return row?.id;
}

/** Entries of a project; null: of the deployment. */
export function listAudit(
  store: Store,
  project: ProjectPart | null,
  window: AuditWindow,
): Promise<StoredAuditRow[]> {
  return project === null
    ? store.all(LIST_DEPLOYMENT, ...LIST_DEPLOYMENT.values(window))
    : store.all(LIST, ...LIST.values({ ...window, ...project }));
}

export async function hasAuditEntry(store: Store, project: ProjectPart | null, id: string): Promise<boolean> {
  const row =
    project === null ? store.get(FIND_DEPLOYMENT, id) : store.get(FIND, ...FIND.values({ ...project, id }));
  return (await row) !== undefined;
}

export async function newestAuditTime(store: Store, project: ProjectPart): Promise<number | undefined> {
  return (await store.get(NEWEST_TIME, ...NEWEST_TIME.values(project)))?.created_at;
}
