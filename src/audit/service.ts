// The audit trail. An administrative write and its audit entry are committed together or not at all.
import type { Clock } from "../base";
import { idAfter, type Random } from "../crypto";
import type { Transaction } from "../store";
import { requireIncarnation } from "./incarnation";
import { addAuditRow, newestAuditId } from "./repository";

/** Who makes a change, and in which project; null: it concerns the whole deployment. A principal is one. */
export type Actor = { projectId: string | null; incarnation?: string | undefined } & (
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
   * `target`: the record's id or name. No secret value may be in `target` or `details`. Throws as `requireIncarnation` does.
   */
  *record(actor: Actor, action: string, target: string, details?: object): Transaction<void> {
    const now = this.#clock.now();
    const { projectId, incarnation } = actor;
    const current = projectId === null ? "" : yield* requireIncarnation({ projectId, incarnation });
    yield* addAuditRow({
      id: idAfter("au", yield* newestAuditId(projectId), now, this.#random),
      projectId,
      incarnation: current,
      actor: actorOf(actor),
      action,
      target,
      details: details === undefined ? null : JSON.stringify(details),
      createdAt: now,
    });
  }
}
