// SQL of workers. A row of this table is administered over the API; workers of the configuration have none.
import { get, query, rowCommands, type Store, type Transaction } from "../store";

export interface WorkerRow {
  project_id: string;
  id: string;
  type: string;
  /** 0 or 1. */
  enabled: number;
  uri: string;
  toolkit: string;
  /** JSON (`WorkerConfig`). */
  config: string;
  sealed_secrets: string | null;
  /** JSON list of the origins that the secrets were given for. */
  origins: string;
  version: number;
  created_at: number;
  updated_at: number;
}

const SETTABLE = [
  "enabled",
  "uri",
  "toolkit",
  "config",
  "sealed_secrets",
  "origins",
  "version",
  "updated_at",
] as const;
const ALL = ["project_id", "id", "type", "created_at", ...SETTABLE] as const;
const COLUMNS = ALL.join(", ");
const FIND = query<WorkerRow>(`SELECT ${COLUMNS} FROM workers WHERE project_id = ? AND id = ?`);
const LIST = query<WorkerRow>(
  `SELECT ${COLUMNS} FROM workers WHERE project_id = ? ORDER BY created_at, id LIMIT ? OFFSET ?`,
);
const LIST_ENABLED = query<WorkerRow>(
  `SELECT ${COLUMNS} FROM workers WHERE project_id = ? AND enabled = 1 ORDER BY created_at, id`,
);
const COUNT = query<{ count: number }>("SELECT COUNT(*) AS count FROM workers WHERE project_id = ?");
// HTTP workers name their toolkits themselves.
const WITH_TOOLKIT = query<{ id: string }>(
  "SELECT id FROM workers WHERE project_id = ? AND type = 'mcp' AND lower(toolkit) = lower(?) AND id <> ? LIMIT 1",
);

export const {
  add: addWorker,
  change: updateWorker,
  remove: deleteWorker,
} = rowCommands<WorkerRow>("workers", "workers", {
  all: ALL,
  settable: SETTABLE,
  key: ["project_id", "id"],
});

export function findWorker(store: Store, projectId: string, id: string): Promise<WorkerRow | undefined> {
  return store.get(FIND, projectId, id);
}

export function listWorkers(
  store: Store,
  projectId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<WorkerRow[]> {
  return store.all(LIST, projectId, limit, offset);
}

export function listEnabledWorkers(store: Store, projectId: string): Promise<WorkerRow[]> {
  return store.all(LIST_ENABLED, projectId);
}

export async function countWorkers(store: Store, projectId: string): Promise<number> {
  return (await store.get(COUNT, projectId))?.count ?? 0;
}

export function workerInTransaction(projectId: string, id: string): Transaction<WorkerRow | undefined> {
  return get(FIND, projectId, id);
}

export function* countInTransaction(projectId: string): Transaction<number> {
  return (yield* get(COUNT, projectId))?.count ?? 0;
}

/** The other MCP worker with this toolkit, in any case. */
export function* withToolkit(
  projectId: string,
  toolkit: string,
  except: string,
): Transaction<string | undefined> {
  return (yield* get(WITH_TOOLKIT, projectId, toolkit, except))?.id;
}
