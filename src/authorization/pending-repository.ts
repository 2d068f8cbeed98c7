// SQL that keeps the number of consents bounded: counts, and deletion of old ones.
import { get, query, run, type Transaction } from "../store";
import { COLUMNS, type FlowRow } from "./repository";

// A grant of an expired flow must be revoked first. The clock of this process may be wrong, so it may have expired just now.
const PRUNE = query(
  "DELETE FROM authorizations WHERE id IN (SELECT id FROM authorizations WHERE expires_at < ? " +
    "AND sealed_grant IS NULL LIMIT 20)",
);
const PRUNE_ENDED = query(
  "DELETE FROM authorizations WHERE id IN (SELECT id FROM authorizations WHERE project_id = ? " +
    "AND finished_at IS NOT NULL ORDER BY finished_at LIMIT 20)",
);
const PRUNE_EXPIRED = query(
  "DELETE FROM authorizations WHERE id IN (SELECT id FROM authorizations WHERE project_id = ? " +
    "AND status = 'pending' AND expires_at <= ? AND used_at IS NULL ORDER BY expires_at LIMIT 20)",
);
const STORED = query<{ value: number }>(
  "SELECT value FROM counters WHERE project_id = ? AND name = 'consents'",
);
const PENDING_COUNT =
  "SELECT COUNT(*) AS count, MIN(expires_at) AS until FROM authorizations WHERE project_id = ? ";
const PENDING_OF_USER = query<PendingCount>(
  `${PENDING_COUNT} AND user_id = ? AND status = 'pending' AND expires_at > ?`,
);
const PENDING_OF_PROJECT = query<PendingCount>(`${PENDING_COUNT} AND status = 'pending' AND expires_at > ?`);
const COMPLETED_WITHOUT_GRANT = query<FlowRow>(
  `SELECT ${COLUMNS} FROM authorizations WHERE project_id = ? AND user_id = ? AND provider_id IS NULL ` +
    "AND status = 'completed' AND finished_at > ? LIMIT 1",
);

interface PendingCount {
  count: number;
  until: number | null;
}

/** Pending consents that have not expired, and when the first of them does, ms. */
export interface Pending {
  count: number;
  until: number;
}

/** All flows of a project that are stored. */
export function* countFlows(projectId: string): Transaction<number> {
  return (yield* get(STORED, projectId))?.value ?? 0;
}

export function* pendingOfUser(projectId: string, userId: string, now: number): Transaction<Pending> {
  return pendingCount(yield* get(PENDING_OF_USER, projectId, userId, now), now);
}

export function* pendingOfProject(projectId: string, now: number): Transaction<Pending> {
  return pendingCount(yield* get(PENDING_OF_PROJECT, projectId, now), now);
}

function pendingCount(row: PendingCount | undefined, now: number): Pending {
  return { count: row?.count ?? 0, until: row?.until ?? now };
}

/** A flow of the user that needed no grant and completed after `since`. */
export function* completedWithoutGrant(
  projectId: string,
  userId: string,
  since: number,
): Transaction<FlowRow | undefined> {
  return yield* get(COMPLETED_WITHOUT_GRANT, projectId, userId, since);
}

/** Deletes some old flows. */
export function* pruneFlows(before: number): Transaction<void> {
  yield* run(PRUNE, before);
}

/**
 * Deletes some of the project's oldest flows that have ended, and of those that have expired before the provider's answer.
 * `now`: undefined while no clock is believed.
 */
export function* pruneFlowsOf(projectId: string, now: number | undefined): Transaction<void> {
  yield* run(PRUNE_ENDED, projectId);
  if (now !== undefined) yield* run(PRUNE_EXPIRED, projectId, now);
}
