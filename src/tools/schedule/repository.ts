// SQL of scheduled runs and their attempts.
import { sealedColumn } from "../../crypto";
import { all, command, erase, get, insertInto, query, run, type Store, type Transaction } from "../../store";

export interface RunRow {
  id: string;
  execution_id: string;
  project_id: string;
  user_id: string;
  /** The actor that scheduled it, as in the audit trail. */
  actor: string;
  /** What the user had allowed the client that scheduled it; null: the actor has another credential. */
  grant_id: string | null;
  toolkit_name: string;
  tool_name: string;
  toolkit_version: string;
  /** The version that the request named; null: the newest at the time of the run. */
  asked_version: string | null;
  with_stack: number;
  sealed_input: string;
  status: "pending" | "running" | "completed" | "failed" | "cancelled";
  run_at: number;
  due_at: number | null;
  attempts: number;
  holder: string | null;
  fence: number;
  created_at: number;
  started_at: number | null;
  finished_at: number | null;
  updated_at: number;
}

export interface AttemptRow {
  id: string;
  run_id: string;
  started_at: number;
  finished_at: number | null;
  success: number | null;
  sealed_output: string | null;
  system_error: string | null;
}

/** Without the input, which lists do not contain. */
export type ListedRun = Omit<RunRow, "sealed_input">;

export const LISTED_COLUMNS = [
  "id",
  "execution_id",
  "project_id",
  "user_id",
  "actor",
  "grant_id",
  "toolkit_name",
  "tool_name",
  "toolkit_version",
  "asked_version",
  "with_stack",
  "status",
  "run_at",
  "due_at",
  "attempts",
  "holder",
  "fence",
  "created_at",
  "started_at",
  "finished_at",
  "updated_at",
] as const;
export const LISTED = LISTED_COLUMNS.join(", ");
const COLUMNS = `${LISTED}, sealed_input`;
const FIND = query<RunRow>(`SELECT ${COLUMNS} FROM scheduled_runs WHERE project_id = ? AND id = ?`);
const FIND_BY_EXECUTION = query<RunRow>(
  `SELECT ${COLUMNS} FROM scheduled_runs WHERE project_id = ? AND execution_id = ?`,
);
const LIST = query<ListedRun>(
  `SELECT ${LISTED} FROM scheduled_runs WHERE project_id = ? ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?`,
);
const LIST_OF_USER = query<ListedRun>(
  `SELECT ${LISTED} FROM scheduled_runs WHERE project_id = ? AND user_id = ? ` +
    "ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?",
);
const COUNT_OF_USER = query<{ count: number }>(
  "SELECT COUNT(*) AS count FROM scheduled_runs WHERE project_id = ? AND user_id = ?",
);
const COUNTER = query<{ value: number }>(
  "SELECT value FROM counters WHERE project_id = ? AND name = 'scheduled runs'",
);
const ENDED = query<{ id: string; project_id: string }>(
  "SELECT id, project_id FROM scheduled_runs WHERE finished_at < ? ORDER BY finished_at LIMIT 20",
);
const OPEN = query<{ value: number }>(
  "SELECT value FROM counters WHERE project_id = ? AND name = 'open scheduled runs'",
);
const FORGET = query("DELETE FROM scheduled_runs WHERE project_id = ? AND id = ?");
const COUNT_DOWN = query(
  "UPDATE counters SET value = value - 1 WHERE project_id = ? AND name = 'scheduled runs'",
);
const COUNT = query(
  "INSERT INTO counters (project_id, name, value) VALUES (?, 'scheduled runs', 1) " +
    "ON CONFLICT (project_id, name) DO UPDATE SET value = counters.value + 1",
);
const add = insertInto<RunRow>("scheduled_runs", [...LISTED_COLUMNS, "sealed_input"]);
const RUNNING = query<ListedRun>(
  `SELECT ${LISTED} FROM scheduled_runs WHERE status = 'running' ORDER BY due_at, id LIMIT ?`,
);
type Seen = Pick<RunRow, "id" | "fence" | "due_at">;
const claim = command<Seen & Omit<Claim, "attemptId">>(
  "UPDATE scheduled_runs SET status = 'running', holder = :holder, fence = fence + 1, due_at = :leaseUntil, " +
    "attempts = attempts + 1, started_at = COALESCE(started_at, :now), updated_at = :now " +
    "WHERE id = :id AND fence = :fence AND due_at = :due_at",
);
const EXTEND = query(
  "UPDATE scheduled_runs SET due_at = ? WHERE id = ? AND fence = ? AND status = 'running'",
);
const waitAgain = command<Omit<Seen, "due_at"> & { dueAt: number; now: number }>(
  "UPDATE scheduled_runs SET status = 'pending', holder = NULL, due_at = :dueAt, updated_at = :now " +
    "WHERE id = :id AND fence = :fence AND status = 'running'",
);
const endRun = command<Omit<Seen, "due_at"> & Ended & { now: number }>(
  "UPDATE scheduled_runs SET status = :status, holder = NULL, due_at = NULL, toolkit_version = :toolkitVersion, " +
    "finished_at = :now, updated_at = :now WHERE id = :id AND fence = :fence AND status = 'running'",
);
const giveUp = command<Seen & { now: number }>(
  "UPDATE scheduled_runs SET status = 'failed', holder = NULL, due_at = NULL, finished_at = :now, " +
    "updated_at = :now WHERE id = :id AND fence = :fence AND due_at = :due_at",
);
// A worker that has read the row before claims nothing: neither the fence nor the time that it saw remain.
const CANCEL = query(
  "UPDATE scheduled_runs SET status = 'cancelled', due_at = NULL, fence = fence + 1, finished_at = ?, updated_at = ? " +
    "WHERE project_id = ? AND id = ? AND status = 'pending'",
);
const addAttempt = command<Seen & Claim & { project_id: string }>(
  "INSERT INTO scheduled_attempts (id, project_id, run_id, fence, started_at) " +
    "VALUES (:attemptId, :project_id, :id, :fence, :now)",
);
const finishAttempt = command<Omit<AttemptEnd, "success"> & { id: string; fence: number; success: 0 | 1 }>(
  "UPDATE scheduled_attempts SET finished_at = :now, success = :success, sealed_output = :sealedOutput, " +
    "system_error = :systemError WHERE run_id = :id AND fence = :fence AND finished_at IS NULL",
);
const ATTEMPT = query<{ id: string }>("SELECT id FROM scheduled_attempts WHERE run_id = ? AND fence = ?");
const ATTEMPTS = query<AttemptRow>(
  "SELECT id, run_id, started_at, finished_at, success, sealed_output, system_error FROM scheduled_attempts " +
    "WHERE project_id = ? AND run_id = ? ORDER BY fence",
);

export async function findRun(store: Store, projectId: string, id: string): Promise<RunRow | undefined> {
  return (await store.get(FIND, projectId, id)) ?? (await store.get(FIND_BY_EXECUTION, projectId, id));
}

/** Newest first. */
export function listRuns(
  store: Store,
  projectId: string,
  userId: string | undefined,
  limit: number,
  offset: number,
): Promise<ListedRun[]> {
  return userId === undefined
    ? store.all(LIST, projectId, limit, offset)
    : store.all(LIST_OF_USER, projectId, userId, limit, offset);
}

/** The runs of a project are counted when they are added, those of a user when they are listed. */
export async function countRuns(
  store: Store,
  projectId: string,
  userId: string | undefined,
): Promise<number> {
  if (userId !== undefined) return (await store.get(COUNT_OF_USER, projectId, userId))?.count ?? 0;
  return (await store.get(COUNTER, projectId))?.value ?? 0;
}

export function attemptsOf(store: Store, projectId: string, runId: string): Promise<AttemptRow[]> {
  return store.all(ATTEMPTS, projectId, runId);
}

/** Running runs of all projects and servers. */
export function runningRuns(store: Store, limit: number): Promise<ListedRun[]> {
  return store.all(RUNNING, limit);
}

/** Runs of a project that have not ended. */
export function* countOpenRuns(projectId: string): Transaction<number> {
  return (yield* get(OPEN, projectId))?.value ?? 0;
}

export function* addRun(row: RunRow): Transaction<void> {
  yield* add(row);
  yield* run(COUNT, row.project_id);
}

/** Deletes some runs of all projects that ended before this time, ms. Called whenever a run is added. */
export function* forgetRuns(endedBefore: number): Transaction<void> {
  for (const { id, project_id } of yield* all(ENDED, endedBefore)) {
    yield* erase();
    yield* run(FORGET, project_id, id);
    yield* run(COUNT_DOWN, project_id);
  }
}

export interface Claim {
  holder: string;
  now: number;
  leaseUntil: number;
  attemptId: string;
}

/**
 * Claims a run with a new fence; undefined if another process was first or its holder still lives. If it was running, the
 * attempt of the old fence ends with `systemError`.
 */
export function* claimRun(
  seen: ListedRun,
  by: Claim,
  systemError: string,
): Transaction<ListedRun | undefined> {
  const { id, fence } = seen;
  const { now, holder } = by;
  if ((yield* claim({ ...seen, ...by })) === 0) return undefined;
  yield* finishAttempt({ id, fence, now, success: 0, sealedOutput: null, systemError });
  yield* addAttempt({ ...seen, ...by, fence: fence + 1 });
  const started_at = seen.started_at ?? now;
  return { ...seen, status: "running", holder, fence: fence + 1, attempts: seen.attempts + 1, started_at };
}

/** Returns 0 if the run has ended or has a newer fence. */
export function extendLease({ id, fence }: ListedRun, until: number): Transaction<number> {
  return run(EXTEND, until, id, fence);
}

export interface AttemptEnd {
  now: number;
  success: boolean;
  sealedOutput: string | null;
  systemError: string | null;
}

/** The state of the run after an attempt: it has ended or waits for the next attempt. */
export type Next = Ended | { dueAt: number };

interface Ended {
  status: "completed" | "failed";
  toolkitVersion: string;
}

/** Ends the attempt of this fence. Returns false and stores nothing if the run has a newer fence. */
export function* endAttempt({ id, fence }: ListedRun, end: AttemptEnd, next: Next): Transaction<boolean> {
  const { now, success } = end;
  const changed =
    "dueAt" in next
      ? yield* waitAgain({ id, fence, now, dueAt: next.dueAt })
      : yield* endRun({ id, fence, now, ...next });
  if (changed === 0) return false;
  yield* finishAttempt({ ...end, id, fence, success: success ? 1 : 0 });
  return true;
}

/** Ends a run whose holder is dead. False if another process was first or its holder still lives. */
export function* giveUpRun(
  { id, fence, due_at }: ListedRun,
  end: Omit<AttemptEnd, "success">,
): Transaction<boolean> {
  if ((yield* giveUp({ id, fence, due_at, now: end.now })) === 0) return false;
  yield* finishAttempt({ ...end, id, fence, success: 0 });
  return true;
}

/** Ends a run that no process has claimed. False if it has been claimed or has ended. */
export function* cancelRun({ project_id, id }: ListedRun, now: number): Transaction<boolean> {
  return (yield* run(CANCEL, now, now, project_id, id)) > 0;
}

/** The id of the attempt for the current fence of a run. */
export async function findAttempt(store: Store, { id, fence }: ListedRun): Promise<string | undefined> {
  return (await store.get(ATTEMPT, id, fence))?.id;
}

export function inputPlace(id: string): { table: string; row: string; field: string } {
  return { table: "scheduled_runs", row: id, field: "input" };
}

export function outputPlace(attemptId: string): { table: string; row: string; field: string } {
  return { table: "scheduled_attempts", row: attemptId, field: "output" };
}

export const sealedRuns = [
  sealedColumn({
    table: "scheduled_runs",
    column: "sealed_input",
    keys: ["id"],
    place: (row) => inputPlace(String(row["id"])),
  }),
  sealedColumn({
    table: "scheduled_attempts",
    column: "sealed_output",
    keys: ["id"],
    place: (row) => outputPlace(String(row["id"])),
  }),
];
