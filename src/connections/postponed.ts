// Refreshes that a provider does not want for a while. The row says until when, so every process waits: each further request
// would prolong the wait.
import type { Provider } from "../providers";
import type { Transaction } from "../store";
import type { ConnectionRow } from "./repository";
import * as repository from "./repository";
import type { TokenRequestError } from "./token-answer";
import { throttled } from "./token-request";

/** The error for a refresh that must wait; undefined if it need not. */
export function postponed(
  { refresh_not_before: until }: ConnectionRow,
  { oauth2 }: Provider,
  now: number,
): TokenRequestError | undefined {
  const { tokenThrottle } = oauth2;
  const waitMs = (until ?? 0) - now;
  // A longer wait than any was means that the clock was set back.
  if (tokenThrottle === undefined || waitMs <= 0 || waitMs > tokenThrottle.waitMs) return undefined;
  return throttled(tokenThrottle.errors[0] ?? "", waitMs);
}

/** Stores that refreshes of a grant wait, unless its tokens were replaced meanwhile. */
export function* postpone(seen: ConnectionRow, until: number, now: number): Transaction<void> {
  const row = yield* repository.connectionByIdInTransaction(seen.project_id, seen.id);
  if (row === undefined || row.token_version !== seen.token_version) return;
  yield* repository.updateConnection({
    ...row,
    refresh_not_before: until,
    version: row.version + 1,
    updated_at: now,
  });
}
