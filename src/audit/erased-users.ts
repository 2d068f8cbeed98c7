// Which users were erased lately, in the database of the execution log: a call that was in progress then, in any process, must
// not add its entry afterwards. The rows have a digest of the user, and are deleted after a day; no call takes so long.
import { netstrings } from "../base";
import { hashOf } from "../crypto";
import { get, query, run, type Transaction } from "../store";

const DAY_MS = 24 * 3600_000;
const ADD = query(
  "INSERT INTO last_used (kind, id, at) VALUES ('erasure', ?, ?) ON CONFLICT (kind, id) DO UPDATE SET at = excluded.at",
);
const NEWEST = query<{ at: number | null }>("SELECT MAX(at) AS at FROM last_used WHERE kind = 'erasure'");
const ERASED_AT = query<{ at: number }>("SELECT at FROM last_used WHERE kind = 'erasure' AND id = ?");
const FORGET = query("DELETE FROM last_used WHERE kind = 'erasure' AND at < ?");

interface Named {
  projectId: string;
  userId: string;
}

/** Remembers an erasure. */
export function* rememberErasure(user: Named, now: number): Transaction<void> {
  yield* run(ADD, digestOf(user), now);
}

/**
 * The entries that may be stored: all except those of calls that began before their user was erased. `time`: what
 * `DeletionTime` says.
 */
export function* withoutErased<E extends { entry: Named & { durationMs: number }; now: number }>(
  entries: readonly E[],
  time: number | undefined,
): Transaction<readonly E[]> {
  const newest = (yield* get(NEWEST))?.at ?? undefined;
  if (newest === undefined) return entries;
  const kept: E[] = [];
  for (const added of entries) {
    const erasedAt = (yield* get(ERASED_AT, digestOf(added.entry)))?.at ?? -Infinity;
    if (added.now - added.entry.durationMs > erasedAt) kept.push(added);
  }
  if (time !== undefined && newest < time - DAY_MS) yield* run(FORGET, time - DAY_MS);
  return kept;
}

function digestOf({ projectId, userId }: Named): string {
  return hashOf(netstrings(["erasure", projectId, userId]));
}
