// What a conditional change rests on. Every change of a record is an entry in the trail, in the same transaction: if the ends of
// the chains are still those from before the record was read, it is the record that was read.
import type { Reader, Transaction } from "../store";
import { type ChainedRow, NO_HASH } from "./chain";
import { findHead, isEntered } from "./repository";

/** Another change was made since; whether the condition is true must be found out again. */
export class Outdated extends Error {
  constructor() {
    super("another change was made meanwhile");
  }
}

export class Basis {
  /** For each chain, the hash of its end from before the record was read. */
  readonly #ends: ReadonlyMap<string, string>;
  /** Entries of the change itself; those of a transaction that was not committed are in no chain. */
  readonly #own: ChainedRow[] = [];

  private constructor(ends: ReadonlyMap<string, string>) {
    this.#ends = ends;
  }

  /** As the chains of these projects end now. */
  static async of(store: Reader, projects: readonly string[]): Promise<Basis> {
    const end = async (project: string) => (await findHead(store, project))?.hash ?? NO_HASH;
    const ends = projects.map(async (project) => [project, await end(project)] as const);
    return new Basis(new Map(await Promise.all(ends)));
  }

  /**
   * Admits an entry after the one with the hash `former`. Throws `Outdated` if that one belongs to another change, unless this
   * change has already been made in part: its condition was true then.
   */
  *admit(former: string, row: ChainedRow): Transaction<void> {
    const end = this.#ends.get(row.project_id);
    if (end !== undefined && end !== former && !(yield* this.#hasBegun())) throw new Outdated();
    this.#own.push(row);
  }

  *#hasBegun(): Transaction<boolean> {
    for (const row of this.#own) if (yield* isEntered(row)) return true;
    return false;
  }
}
