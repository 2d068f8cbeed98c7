// What a conditional change rests on. Every change of a record is an entry in the trail, in the same transaction: if the ends of
// the chains are still those from before the record was read, it is the record that was read.
import type { Reader } from "../store";
import { NO_HASH } from "./chain";
import { findHead } from "./repository";

/** Another change was made since; whether the condition is true must be found out again. */
export class Outdated extends Error {
  constructor() {
    super("another change was made meanwhile");
  }
}

export class Basis {
  /** For each chain, the hashes of its end from before the record was read, and of the entries of the change itself. */
  readonly #ends: ReadonlyMap<string, Set<string>>;

  private constructor(ends: ReadonlyMap<string, Set<string>>) {
    this.#ends = ends;
  }

  /** As the chains of these projects end now. */
  static async of(store: Reader, projects: readonly string[]): Promise<Basis> {
    const end = async (project: string) => (await findHead(store, project))?.hash ?? NO_HASH;
    const ends = projects.map(async (project) => [project, new Set([await end(project)])] as const);
    return new Basis(new Map(await Promise.all(ends)));
  }

  /** Enters a row after the one with the hash `former`. Throws `Outdated` if that one belongs to another change. */
  enter(chain: string, former: string, hash: string): void {
    const ends = this.#ends.get(chain);
    if (ends === undefined) return;
    if (!ends.has(former)) throw new Outdated();
    ends.add(hash);
  }
}
