// What waits in the database: work that a running server takes up by itself.
import { type Static, Type } from "typebox";
import type { Core } from "./core";
import { query } from "./store";

const count = (description: string) => Type.Integer({ minimum: 0, description });

export const QueuesResponse = Type.Object({
  scheduled_waiting: count("Scheduled runs whose time has not come, also those that wait to be repeated."),
  scheduled_due: count("Scheduled runs whose time has come, and that no server has begun."),
  scheduled_running: count("Scheduled runs that a server has begun."),
  revocations: count("Grants that are to be revoked at their providers."),
  consents: count("Consents that users have not finished."),
});
export type Queues = Static<typeof QueuesResponse>;

const SCHEDULED = query<{ status: string; due: number; runs: number }>(
  "SELECT status, due_at <= ? AS due, COUNT(*) AS runs FROM scheduled_runs " +
    "WHERE project_id = ? AND status IN ('pending', 'running') GROUP BY 1, 2",
);
const REVOCATIONS = query<{ waiting: number }>(
  "SELECT COUNT(*) AS waiting FROM revocations WHERE project_id = ?",
);
const CONSENTS = query<{ waiting: number }>(
  "SELECT COUNT(*) AS waiting FROM authorizations WHERE project_id = ? AND status = 'pending' AND expires_at > ?",
);

/** Of a project. */
export async function queuesOf({ store, clock }: Core, project: string): Promise<Queues> {
  const now = clock.now();
  const [scheduled, [revocations], [consents]] = await Promise.all([
    store.all(SCHEDULED, now, project),
    store.all(REVOCATIONS, project),
    store.all(CONSENTS, project, now),
  ]);
  const runs = (wanted: string, isDue?: boolean): number =>
    scheduled
      .filter(({ status, due }) => status === wanted && (isDue === undefined || (due === 1) === isDue))
      .reduce((sum, row) => sum + row.runs, 0);
  return {
    scheduled_waiting: runs("pending", false),
    scheduled_due: runs("pending", true),
    scheduled_running: runs("running"),
    revocations: revocations?.waiting ?? 0,
    consents: consents?.waiting ?? 0,
  };
}
