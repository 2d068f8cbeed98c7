// Leases for work that only one process may do at a time. The fence grows with every lease, and a result is stored only
// under the fence of its lease, so a former holder cannot store anything.
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
// Keeps `expires_at`, by which old rows are deleted.
const RELEASE = query("UPDATE leases SET holder = NULL WHERE name = ? AND holder = ? AND fence = ?");
// A lease with a holder stays: after a jump of the clock it looks old although its holder lives.
const SWEEP = query(
  "DELETE FROM leases WHERE name IN (SELECT name FROM leases WHERE expires_at < ? AND holder IS NULL " +
    "ORDER BY expires_at LIMIT 20)",
);
/** A lease that was released this long ago is not needed any more, so its fence may start again. */
const SWEPT_AFTER_MS = 24 * 3_600_000;

/** Takes a lease. Returns undefined while another holder has it. */
export function* takeLease(
  name: string,
  holder: string,
  now: number,
  ttlMs: number,
): Transaction<Lease | undefined> {
  const row = yield* get(FIND, name);
  if (row !== undefined && row.holder !== null && row.expires_at > now) return undefined;
  // A new name removes old rows, so that leases of deleted connections do not accumulate.
  if (row === undefined) yield* run(SWEEP, now - SWEPT_AFTER_MS);
  yield* run(TAKE, name, holder, now + ttlMs);
  return { name, holder, fence: (row?.fence ?? 0) + 1 };
}

/** Whether the lease is still held. Must run in the transaction that stores the result. */
export function* stillHeld(lease: Lease): Transaction<boolean> {
  const row = yield* get(FIND, lease.name);
  return row !== undefined && row.holder === lease.holder && row.fence === lease.fence;
}

/** Releases a lease and wakes those who wait for it. Does nothing if the lease was lost. */
export function* releaseLease(lease: Lease): Transaction<void> {
  yield* run(RELEASE, lease.name, lease.holder, lease.fence);
  yield* touch("leases");
}
