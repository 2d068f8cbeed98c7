// SQL that reads the execution log.
import { named, type Store } from "../store";
import type { ProjectPart } from "./repository";

export interface ExecutionRow {
  id: string;
  execution_id: string;
  user_id: string;
  actor: string;
  tool: string;
  status: string;
  error_kind: string | null;
  duration_ms: number;
  created_at: number;
  /** JSON of the record's `hooks`, when there were any. */
  decisions: string | null;
}

/** A window of the log, newest first; an empty text means "any". */
export interface ExecutionsWindow {
  /** Qualified name in lower case, with or without its version. */
  tool: string;
  user: string;
  status: string;
  /** Where the incarnation is empty: nothing that an earlier version logged before this time. */
  sinceTime: number;
  beforeTime: number;
  beforeId: string;
  limit: number;
}

const COLUMNS =
  "id, execution_id, user_id, actor, tool, status, error_kind, duration_ms, created_at, decisions";
const FIND = named<ProjectPart & { id: string; sinceTime: number }, ExecutionRow>(
  `SELECT ${COLUMNS} FROM executions WHERE project_id = :projectId AND incarnation = :incarnation AND id = :id ` +
    "AND (incarnation <> '' OR created_at >= :sinceTime)",
);
const LIST = named<ExecutionsWindow & ProjectPart, ExecutionRow>(
  `SELECT ${COLUMNS} FROM executions ` +
    "WHERE project_id = :projectId AND incarnation = :incarnation " +
    "AND (:tool = '' OR LOWER(tool) = :tool OR SUBSTR(LOWER(tool), 1, LENGTH(:tool) + 1) = :tool || '@') " +
    "AND (:user = '' OR user_id = :user) AND (:status = '' OR status = :status) AND (incarnation <> '' OR created_at >= :sinceTime) " +
    "AND (created_at, id) < (:beforeTime, :beforeId) ORDER BY created_at DESC, id DESC LIMIT :limit",
);
const TIME_OF = named<ProjectPart & { id: string }, { created_at: number }>(
  "SELECT created_at FROM executions WHERE project_id = :projectId AND incarnation = :incarnation AND id = :id",
);

export function listExecutions(
  store: Store,
  project: ProjectPart,
  window: ExecutionsWindow,
): Promise<ExecutionRow[]> {
  return store.all(LIST, ...LIST.values({ ...window, ...project }));
}

export function findExecution(
  store: Store,
  project: ProjectPart & { sinceTime: number },
  id: string,
): Promise<ExecutionRow | undefined> {
  return store.get(FIND, ...FIND.values({ ...project, id }));
}

export async function executionTime(
  store: Store,
  project: ProjectPart,
  id: string,
): Promise<number | undefined> {
  return (await store.get(TIME_OF, ...TIME_OF.values({ ...project, id })))?.created_at;
}
