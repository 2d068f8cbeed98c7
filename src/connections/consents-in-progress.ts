// Consents that may return another access token of a grant. No order to revoke the grant is sent meanwhile.
import { type Clock, RecentMap } from "../base";
import { all, query, type Transaction } from "../store";
import type { RevocationRow } from "./revocation-rows";

/** As long as a consent that was opened lives, by monotonic time: the clock that has set its end may be wrong. */
const CONSENT_MS = 10 * 60_000;
const REMEMBERED = 1000;

// Flows whose code was exchanged, or is being exchanged.
const USED = query<{ id: string }>(
  "SELECT id FROM authorizations WHERE project_id = ? AND user_id = ? AND provider_id = ? " +
    "AND status = 'pending' AND used_at IS NOT NULL ORDER BY expires_at DESC LIMIT 100",
);

export class ConsentsInProgress {
  readonly #clock: Clock;
  /** The monotonic time at which each was seen first. */
  readonly #seen = new RecentMap<string, number>(REMEMBERED);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether the user of an order has one at its provider. */
  *isAny({ project_id, user_id, provider_id }: RevocationRow): Transaction<boolean> {
    const now = this.#clock.monotonic();
    let isAny = false;
    for (const { id } of yield* all(USED, project_id, user_id, provider_id)) {
      const since = this.#seen.get(id) ?? now;
      this.#seen.set(id, since);
      isAny ||= now - since < CONSENT_MS;
    }
    return isAny;
  }
}
