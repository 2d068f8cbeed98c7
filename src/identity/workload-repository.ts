// SQL of workloads.
import { all, get, insertInto, query, run, type Store, touch, type Transaction } from "../store";

export interface WorkloadRow {
  id: string;
  project_id: string;
  name: string;
  issuer: string;
  audience: string;
  /** A pattern: see `subject-pattern.ts`. */
  subject: string;
  role: string;
  /** JSON list of user ids, or null for any. */
  users: string | null;
  created_at: number;
}

/** A workload with the incarnation of its project. */
export type FoundWorkload = WorkloadRow & { incarnation: string };

const STORED = [
  "id",
  "project_id",
  "name",
  "issuer",
  "audience",
  "subject",
  "role",
  "users",
  "created_at",
] as const;
const COLUMNS = STORED.join(", ");
const FOUND = `${COLUMNS}, (SELECT incarnation FROM projects WHERE projects.id = project_id) AS incarnation`;
// Of all projects: a token names none.
const ALL = query<FoundWorkload>(`SELECT ${FOUND} FROM workloads ORDER BY created_at, id`);
const FIND = query<FoundWorkload>(`SELECT ${FOUND} FROM workloads WHERE project_id = ? AND id = ?`);
const NAMED = query<WorkloadRow>(`SELECT ${COLUMNS} FROM workloads WHERE project_id = ? AND name = ?`);
const LIST = query<WorkloadRow>(
  `SELECT ${COLUMNS} FROM workloads WHERE project_id = ? ORDER BY created_at, id`,
);
const COUNT = query<{ count: number }>("SELECT COUNT(*) AS count FROM workloads WHERE project_id = ?");
const insert = insertInto<WorkloadRow>("workloads", STORED);
const DELETE = query("DELETE FROM workloads WHERE project_id = ? AND id = ?");

/** Of all projects. */
export function everyWorkload(store: Store): Promise<FoundWorkload[]> {
  return store.all(ALL);
}

export function findWorkload(
  store: Store,
  projectId: string,
  id: string,
): Promise<FoundWorkload | undefined> {
  return store.get(FIND, projectId, id);
}

export function listWorkloads(store: Store, projectId: string): Promise<WorkloadRow[]> {
  return store.all(LIST, projectId);
}

export function workloadInTransaction(projectId: string, id: string): Transaction<WorkloadRow | undefined> {
  return get(FIND, projectId, id);
}

export function* isNameTaken(projectId: string, name: string): Transaction<boolean> {
  return (yield* all(NAMED, projectId, name)).length > 0;
}

export function* countWorkloads(projectId: string): Transaction<number> {
  return (yield* get(COUNT, projectId))?.count ?? 0;
}

export function* addWorkload(row: WorkloadRow): Transaction<void> {
  yield* insert(row);
  yield* touch("workloads");
}

export function* deleteWorkload(projectId: string, id: string): Transaction<number> {
  yield* touch("workloads");
  return yield* run(DELETE, projectId, id);
}
