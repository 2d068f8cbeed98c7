// What becomes of the next transactions and answers of the scripted database.

/**
 * Of a transaction, at one of its statements or at its commit. `conflict`, `deadlock`: the server rolls it back, and it may
 * run again; `break`: its connection breaks, and nothing is stored; `silent`: its packets are lost from then on.
 */
export const TRANSACTION_FATES = ["conflict", "deadlock", "break", "silent"] as const;

/**
 * Of a commit. `lose answer`: stored, and the connection breaks before the answer; `silent answer`: stored, and its packets
 * are lost from then on; `late answer`: others see it seconds before the answer; `late`: it takes seconds; `late and break`:
 * it takes seconds, and its connection breaks before.
 */
export const COMMIT_FATES = [
  "lose answer",
  "silent answer",
  "late answer",
  "late commit",
  "late and break",
] as const;

/** Of the next answer to a read, and of the notifications of the next commit. */
export const OTHER_FATES = ["late read", "break read", "silent read", "late notifications"] as const;

export const DATABASE_FATES = [...TRANSACTION_FATES, ...COMMIT_FATES, ...OTHER_FATES] as const;
export type DatabaseFate = (typeof DATABASE_FATES)[number];

/** `records`: the main database; `log`: the execution log. */
export const DATABASES = ["records", "log"] as const;
export type DatabaseName = (typeof DATABASES)[number];

/** Fates wait here for what they are of. */
export class Fates {
  #waiting: DatabaseFate[] = [];

  push(fate: DatabaseFate): void {
    this.#waiting.push(fate);
  }

  clear(): void {
    this.#waiting = [];
  }

  take<Fate extends DatabaseFate>(of: readonly Fate[]): Fate | undefined {
    const index = this.#waiting.findIndex((waiting) => of.some((fate) => fate === waiting));
    if (index < 0) return undefined;
    const [fate] = this.#waiting.splice(index, 1);
    return of.find((one) => one === fate);
  }
}
