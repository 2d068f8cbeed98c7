// SQL of queue depths. Each count stops at a limit and uses an index, so that a page costs the same however many rows there are.
import { query, type Store } from "../store";

/** The highest depth that is counted. */
export const MOST_COUNTED = 10_000;

const count = (rows: string) =>
  query<{ count: number }>(`SELECT COUNT(*) AS count FROM (${rows} LIMIT ${MOST_COUNTED}) AS counted`);
// Running ones are due again when their server has lost them.
const DUE = count("SELECT 1 FROM scheduled_runs WHERE due_at <= ?");
const PENDING = count("SELECT 1 FROM scheduled_runs WHERE status = 'pending'");
const RUNNING = count("SELECT 1 FROM scheduled_runs WHERE status = 'running'");
// Of those that have not expired, however many have ended.
const CONSENTS = query<{ count: number }>(
  "SELECT COUNT(*) AS count FROM " +
    `(SELECT status FROM authorizations WHERE expires_at > ? ORDER BY expires_at LIMIT ${MOST_COUNTED}) AS counted WHERE status = 'pending'`,
);
const REVOCATIONS = count("SELECT 1 FROM revocations");

export interface Depths {
  due: number;
  waiting: number;
  running: number;
  consents: number;
  revocations: number;
}

export async function depthsOf(store: Store, now: number): Promise<Depths> {
  const [due, pending, running, consents, revocations] = await Promise.all([
    store.get(DUE, now),
    store.get(PENDING),
    store.get(RUNNING),
    store.get(CONSENTS, now),
    store.get(REVOCATIONS),
  ]);
  return {
    due: due?.count ?? 0,
    waiting: Math.max(0, (pending?.count ?? 0) - (due?.count ?? 0)),
    running: running?.count ?? 0,
    consents: consents?.count ?? 0,
    revocations: revocations?.count ?? 0,
  };
}
