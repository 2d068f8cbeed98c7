// SQL that reads the execution log.
import { type Awaitable, query, type Store } from "../store";

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

/** The newest runs between two points of the log; an empty text stands for "any". */
export interface ExecutionsWindow {
  /** Qualified name in lower case, with or without its version. */
  tool: string;
  user: string;
  status: string;
  sinceTime: number;
  beforeTime: number;
  beforeId: string;
  limit: number;
}

const LIST = query<ExecutionRow>(
  "SELECT id, execution_id, user_id, actor, tool, status, error_kind, duration_ms, created_at, decisions FROM executions " +
    "WHERE project_id = ? AND (? = '' OR LOWER(tool) = ? OR SUBSTR(LOWER(tool), 1, LENGTH(?) + 1) = ? || '@') " +
    "AND (? = '' OR user_id = ?) AND (? = '' OR status = ?) AND created_at >= ? AND (created_at, id) < (?, ?) " +
    "ORDER BY created_at DESC, id DESC LIMIT ?",
);
const TIME_OF = query<{ created_at: number }>(
  "SELECT created_at FROM executions WHERE project_id = ? AND id = ?",
);

export function listExecutions(
  store: Store,
  projectId: string,
  { tool, user, status, sinceTime, beforeTime, beforeId, limit }: ExecutionsWindow,
): Awaitable<ExecutionRow[]> {
  const texts = [tool, tool, tool, tool, user, user, status, status] as const;
  const filter = [...texts, sinceTime, beforeTime, beforeId, limit] as const;
  return store.all(LIST, projectId, ...filter);
}

export async function executionTime(
  store: Store,
  projectId: string,
  id: string,
): Promise<number | undefined> {
  return (await store.get(TIME_OF, projectId, id))?.created_at;
}
