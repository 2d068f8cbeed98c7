// Adds consents within the caps on pending ones, and keeps the number of ended ones bounded.
import type { Core } from "../core";
import type { RuntimeError } from "../errors";
import type { Limits } from "../limits";
import { DeletionTime, type Transaction } from "../store";
import * as repository from "./pending-repository";
import { addFlow, type FlowRow } from "./repository";

const OF_USER = "limits.pending_consents_per_user";
const OF_PROJECT = "limits.pending_consents_per_project";
const DAY_MS = 24 * 3600_000;
const WHOSE = { [OF_USER]: "this user", [OF_PROJECT]: "this project" };

/** A cap is reached. */
export interface Full {
  setting: typeof OF_USER | typeof OF_PROJECT;
  /** When the first of the pending consents expires, ms. */
  until: number;
}

export class NewFlows {
  readonly #core: Core;
  readonly #limits: Limits;
  readonly #deletionTime: DeletionTime;

  constructor(core: Core, limits: Limits) {
    this.#core = core;
    this.#limits = limits;
    this.#deletionTime = new DeletionTime(core.clock);
  }

  /** Adds a flow unless a cap is reached. Deletes some old ones. */
  *add(row: FlowRow, now: number): Transaction<FlowRow | Full> {
    const { project_id: projectId, user_id: userId } = row;
    const limits = this.#limits;
    // A clock that jumped ahead must not delete consents that other processes are going on with.
    const time = yield* this.#deletionTime.now();
    const keepMs = this.#core.settings["consents.keep_days"] * DAY_MS;
    if (time !== undefined && keepMs > 0) yield* repository.pruneFlows(time - keepMs);
    const most = limits.of(OF_PROJECT);
    const stored = yield* repository.countFlows(projectId);
    // An ended flow is kept for late polls, but no more of them than flows that may be pending.
    if (stored >= 2 * most) yield* repository.pruneFlowsOf(projectId, time);
    const ofUser = yield* repository.pendingOfUser(projectId, userId, now);
    if (ofUser.count >= limits.of(OF_USER)) return { setting: OF_USER, until: ofUser.until };
    // Counting is only needed if there are so many flows at all.
    if (stored >= most) {
      const ofProject = yield* repository.pendingOfProject(projectId, now);
      if (ofProject.count >= most) return { setting: OF_PROJECT, until: ofProject.until };
    }
    yield* addFlow(row);
    return row;
  }

  /** The flow that `add` returns. Throws `rate_limited` if a cap is reached. */
  async added(projectId: string, add: () => Transaction<FlowRow | Full>): Promise<FlowRow> {
    const { store, clock } = this.#core;
    const added = await store.write(add);
    if (!("setting" in added)) return added;
    throw tooMany(this.#limits, projectId, added, clock.now());
  }
}

function tooMany(limits: Limits, projectId: string, { setting, until }: Full, now: number): RuntimeError {
  return limits.over(setting, {
    scope: { project_id: projectId },
    message: `Too many consents of ${WHOSE[setting]} are pending. Finish one of them, or wait until one expires.`,
    retryAfterMs: Math.max(1000, until - now),
    // Only a person can finish one sooner.
    shouldRetry: false,
  });
}
