// Former addresses of providers: orders to revoke grants are sent there. They are deleted when no order needs them.
import { RecentMap } from "../base";
import type { Core } from "../core";
import { query, run } from "../store";

interface Former {
  project_id: string;
  id: string;
  origins_id: string;
}

/** A refresh that was sent before the move may still end with an order. */
const FORMER_MS = 10 * 60_000;
const REMEMBERED = 1000;

const UNUSED =
  "FROM former_providers WHERE NOT EXISTS (SELECT 1 FROM revocations WHERE " +
  "revocations.project_id = former_providers.project_id AND revocations.provider_id = former_providers.id AND " +
  "revocations.origins_id = former_providers.origins_id)";
const LIST = query<Former>(`SELECT project_id, id, origins_id ${UNUSED} ORDER BY moved_at LIMIT ?`);
const DELETE = query(`DELETE ${UNUSED} AND project_id = ? AND id = ? AND origins_id = ?`);

export class FormerProviders {
  readonly #core: Core;
  /** The monotonic time at which each was seen first: the clock that has stored the time of the move may be wrong. */
  readonly #seen = new RecentMap<string, number>(REMEMBERED);

  constructor(core: Core) {
    this.#core = core;
  }

  /** Deletes those that no order has needed for a while. */
  async removeUnused(): Promise<void> {
    const { store, clock } = this.#core;
    const now = clock.monotonic();
    const old = (await store.all(LIST, REMEMBERED)).filter(({ project_id, id, origins_id }) => {
      const key = JSON.stringify([project_id, id, origins_id]);
      const since = this.#seen.get(key) ?? now;
      this.#seen.set(key, since);
      return now - since >= FORMER_MS;
    });
    if (old.length === 0) return;
    await store.write(function* () {
      for (const { project_id, id, origins_id } of old) yield* run(DELETE, project_id, id, origins_id);
    });
  }
}
