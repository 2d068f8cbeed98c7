// Who did what. An administrative write and its audit row are committed together or not at all.
import type { Clock } from "../base";
import { newId, type Random } from "../crypto";
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
  readonly #random: Random;

  constructor({ clock, random }: { clock: Clock; random: Random }) {
    this.#clock = clock;
    this.#random = random;
  }

  /** The entry as a step of the transaction that does the write. */
  *record(entry: AuditEntry): Transaction<void> {
    const now = this.#clock.now();
    yield* addAuditRow({
      id: newId("au", now, this.#random),
      projectId: entry.projectId,
      actor: entry.actor,
      action: entry.action,
      target: entry.target,
      details: entry.details === undefined ? null : JSON.stringify(entry.details),
      createdAt: now,
    });
  }
}
