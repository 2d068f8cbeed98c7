// SQL of due runs, by time and by project.
import { query, type Store } from "../../store";
import { LISTED, type ListedRun } from "./repository";

const DUE = query<ListedRun>(
  `SELECT ${LISTED} FROM scheduled_runs WHERE due_at <= ? AND status = 'pending' ORDER BY due_at, id LIMIT ?`,
);
// Jumps from project to project in the index, so that the backlog of one costs the others no time.
const DUE_PROJECTS = query<{ project_id: string }>(
  "WITH RECURSIVE waiting (project_id) AS (" +
    "SELECT MIN(project_id) FROM scheduled_runs WHERE status = 'pending' AND project_id > ? UNION ALL " +
    "SELECT (SELECT MIN(project_id) FROM scheduled_runs WHERE status = 'pending' AND project_id > waiting.project_id) " +
    "FROM waiting WHERE waiting.project_id IS NOT NULL) " +
    "SELECT project_id FROM waiting WHERE project_id IS NOT NULL AND EXISTS (SELECT 1 FROM scheduled_runs AS due " +
    "WHERE due.project_id = waiting.project_id AND due.status = 'pending' AND due.due_at <= ?) LIMIT ?",
);
const DUE_OF_PROJECT = query<ListedRun>(
  `SELECT ${LISTED} FROM scheduled_runs WHERE project_id = ? AND status = 'pending' AND due_at <= ? ` +
    "ORDER BY due_at, id LIMIT ?",
);
// A run that is tried again was changed when its attempt ended.
const RETRIES_AHEAD = query<ListedRun>(
  `SELECT ${LISTED} FROM scheduled_runs WHERE status = 'pending' AND attempts > 0 AND due_at > ? AND updated_at > ? ` +
    "ORDER BY due_at, id LIMIT ?",
);

const OPEN_OF_USER = query<ListedRun>(
  `SELECT ${LISTED} FROM scheduled_runs WHERE project_id = ? AND user_id = ? AND finished_at IS NULL ` +
    "ORDER BY run_at, id LIMIT ?",
);

/** The runs of a user that have not ended, the next one first. */
export function openRuns(
  store: Store,
  projectId: string,
  userId: string,
  limit: number,
): Promise<ListedRun[]> {
  return store.all(OPEN_OF_USER, projectId, userId, limit);
}

/** The earliest runs whose time has come. */
export function dueRuns(store: Store, now: number, limit: number): Promise<ListedRun[]> {
  return store.all(DUE, now, limit);
}

/** Projects with due runs, in the order of their ids: those after `after`, then the others. */
export async function dueProjects(
  store: Store,
  now: number,
  after: string,
  limit: number,
): Promise<string[]> {
  const later = await store.all(DUE_PROJECTS, after, now, limit);
  const first = later.length < limit ? await store.all(DUE_PROJECTS, "", now, limit) : [];
  return [...new Set([...later, ...first].map(({ project_id }) => project_id))].slice(0, limit);
}

export function dueRunsOf(store: Store, projectId: string, now: number, limit: number): Promise<ListedRun[]> {
  return store.all(DUE_OF_PROJECT, projectId, now, limit);
}

/** Runs that wait for another attempt, and whose last one ended in the future. */
export function retriesAhead(store: Store, now: number, limit: number): Promise<ListedRun[]> {
  return store.all(RETRIES_AHEAD, now, now, limit);
}

/**
 * Runs that were due at a time, in a database that was restored: they may have begun since. They become those of a server that
 * died, so that only those that may be repeated run again. Parameters: now, the time.
 */
export const SUSPECT_DUE_RUNS = query(
  "UPDATE scheduled_runs SET status = 'running', holder = 'restored', fence = fence + 1, updated_at = ? " +
    "WHERE status = 'pending' AND due_at <= ?",
);
