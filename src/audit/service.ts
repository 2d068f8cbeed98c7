// The audit trail. An administrative write and its audit entry are committed together or not at all.
import type { Clock } from "../base";
import { idAfter, type Random } from "../crypto";
import type { Transaction } from "../store";
import { addAuditRow, newestAuditId, beginInTransaction } from "./repository";

/** Who makes a change, and in which project; null: it concerns the whole deployment. A principal is one. */
export type Actor = { projectId: string | null } & (
  { kind: "key"; keyId: string } | { kind: "user"; userId: string } | { kind: "operator" }
);

/** How the audit trail names an actor: `key:<id>`, `user:<id>` or `operator` (a person at the terminal). */
export function actorOf(actor: Actor): string {
  if (actor.kind === "key") return `key:${actor.keyId}`;
  return actor.kind === "user" ? `user:${actor.userId}` : "operator";
}

export class Audit {
  readonly #clock: Clock;
  readonly #random: Random;

  constructor({ clock, random }: { clock: Clock; random: Random }) {
    this.#clock = clock;
    this.#random = random;
  }

  /**
   * The entry, as a step of the transaction that does the write. `action`: `secret.upsert`, `provider.delete` …
   * `target`: the record's id or name. No secret value may be in `target` or `details`. Ids sort in the order of the commits,
   * although the clocks of processes differ, and no entry of a project is older than the project.
   */
  *record(actor: Actor, action: string, target: string, details?: object): Transaction<unknown> {
    const { projectId } = actor;
    const newest = yield* newestAuditId(projectId);
    const begin = projectId === null ? undefined : yield* beginInTransaction(projectId);
    const now = Math.max(this.#clock.now(), begin ?? 0);
    return yield* addAuditRow({
      id: idAfter("au", newest, now, this.#random),
      projectId,
      actor: actorOf(actor),
      action,
      target,
      details: details === undefined ? null : JSON.stringify(details),
      createdAt: now,
    });
  }
}
