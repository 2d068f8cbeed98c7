// Who did what. An administrative write and its audit row are committed together or not at all.
import type { Clock } from "../base";
import { orderedIds, type Random } from "../crypto";
import type { Transaction } from "../store";
import { addAuditRow } from "./repository";

export interface AuditEntry {
  projectId: string | null;
  /** `key:<id>`, `user:<id>` or `operator` (a person at the terminal of the data folder). */
  actor: string;
  /** `secret.upsert`, `provider.delete` … */
  action: string;
  /** The record's id or name. Never a value. */
  target: string;
  details?: { [key: string]: unknown };
}

export class Audit {
  readonly #clock: Clock;
  /** Entries of one millisecond are listed in the order in which they were made. */
  readonly #newId: (now: number) => string;

  constructor({ clock, random }: { clock: Clock; random: Random }) {
    this.#clock = clock;
    this.#newId = orderedIds("au", random);
  }

  /** The entry as a step of the transaction that does the write. */
  record(entry: AuditEntry): Transaction<unknown> {
    const now = this.#clock.now();
    return addAuditRow({
      id: this.#newId(now),
      projectId: entry.projectId,
      actor: entry.actor,
      action: entry.action,
      target: entry.target,
      details: entry.details === undefined ? null : JSON.stringify(entry.details),
      createdAt: now,
    });
  }
}
