// Leases in rows, for work that one process at a time may do. The fence grows with every holder: a result is stored
// only under the fence with which the work began, so that a holder who lost his lease cannot store anything.
import { get, query, run, touch, type Transaction } from "./port";

export interface Lease {
  name: string;
  holder: string;
  fence: number;
}

interface LeaseRow {
  holder: string | null;
  fence: number;
  expires_at: number;
}

const FIND = query<LeaseRow>("SELECT holder, fence, expires_at FROM leases WHERE name = ?");
const TAKE = query(
  "INSERT INTO leases (name, holder, fence, expires_at) VALUES (?, ?, 1, ?) " +
    "ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, fence = fence + 1, expires_at = excluded.expires_at",
);
// The time stays: by it the row is swept.
const RELEASE = query("UPDATE leases SET holder = NULL WHERE name = ? AND holder = ? AND fence = ?");
const SWEEP = query(
  "DELETE FROM leases WHERE name IN (SELECT name FROM leases WHERE expires_at < ? ORDER BY expires_at LIMIT 20)",
);
/** Nobody works under a lease that ended so long ago: its fence may begin anew. */
const SWEPT_AFTER_MS = 24 * 3_600_000;

/** Takes the lease, or answers undefined while somebody else holds it. */
export function* takeLease(
  name: string,
  holder: string,
  now: number,
  ttlMs: number,
): Transaction<Lease | undefined> {
  const row = yield* get(FIND, name);
  if (row !== undefined && row.holder !== null && row.expires_at > now) return undefined;
  // A name that is new makes room for itself: leases of connections that are gone do not pile up.
  if (row === undefined) yield* run(SWEEP, now - SWEPT_AFTER_MS);
  yield* run(TAKE, name, holder, now + ttlMs);
  return { name, holder, fence: (row?.fence ?? 0) + 1 };
}

/** Whether the lease is still this holder's: asked in the transaction that stores the result. */
export function* stillHeld(lease: Lease): Transaction<boolean> {
  const row = yield* get(FIND, lease.name);
  return row !== undefined && row.holder === lease.holder && row.fence === lease.fence;
}

/** Gives the lease back and wakes those who wait for it. A lease that was lost is left alone. */
export function* releaseLease(lease: Lease): Transaction<void> {
  yield* run(RELEASE, lease.name, lease.holder, lease.fence);
  yield* touch("leases");
}
