// Changes of a connection after the platform has answered a request with its token. A newer token is not affected.
import type { Transaction } from "../store";
import type { LiveGrant } from "./live";
import * as repository from "./repository";
import type { ConnectionRow } from "./repository";

/** Identifies one version of a connection's tokens. */
export type UsedGrant = Pick<LiveGrant, "connectionId" | "version">;

/** Marks a grant that the platform no longer accepts. */
export function* endGrant(
  projectId: string,
  used: UsedGrant,
  reason: string,
  now: number,
): Transaction<void> {
  const row = yield* rowOf(projectId, used);
  if (row?.status === "active") yield* repository.markExpired(row, reason, now);
}

/** Undoes `endGrant` with this reason. */
export function* restoreGrant(
  projectId: string,
  used: UsedGrant,
  reason: string,
  now: number,
): Transaction<void> {
  const row = yield* rowOf(projectId, used);
  if (row?.status_reason !== reason) return;
  const change = { status: "active", status_reason: null, version: row.version + 1, updated_at: now };
  yield* repository.updateConnection({ ...row, ...change });
}

/** Removes scopes that the token does not have, according to the platform. */
export function* narrowGrant(
  projectId: string,
  used: UsedGrant,
  lost: readonly string[],
  now: number,
): Transaction<void> {
  const row = yield* rowOf(projectId, used);
  if (row === undefined) return;
  const scopes: string[] = JSON.parse(row.scopes);
  const kept = scopes.filter((scope) => !lost.includes(scope));
  if (kept.length === scopes.length) return;
  const change = { scopes: JSON.stringify(kept), version: row.version + 1, updated_at: now };
  yield* repository.updateConnection({ ...row, ...change });
}

/** Undefined if the connection is gone or has newer tokens. */
function* rowOf(projectId: string, used: UsedGrant): Transaction<ConnectionRow | undefined> {
  const row = yield* repository.connectionByIdInTransaction(projectId, used.connectionId);
  return row?.token_version === used.version ? row : undefined;
}
