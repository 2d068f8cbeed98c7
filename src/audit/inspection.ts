// What the operator does with the audit trail, on the data folder: verify it, and erase a user from it.
import type { Clock } from "../base";
import type { Store, Transaction } from "../store";
import { type ChainHead, parseHeads, type SignedHead, signedHeads, signHead } from "./heads";
import type { Actor, Audit } from "./service";
import type { SigningKey } from "./signing";
import { type Verification, verifyChains } from "./verify";

/** Files of users outside of the databases. */
export interface UserFolders {
  removeUser(projectId: string, userId: string): Promise<void>;
}

export class Inspection {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #audit: Audit;
  readonly #key: SigningKey;
  readonly #folders: UserFolders;

  /** `folders`: what else is kept of a user who is erased. */
  constructor(
    { store, clock }: { store: Store; clock: Clock },
    audit: Audit,
    key: SigningKey,
    folders: UserFolders = { removeUser: async () => undefined },
  ) {
    this.#folders = folders;
    this.#audit = audit;
    this.#store = store;
    this.#clock = clock;
    this.#key = key;
  }

  /** `heads`: the text of a file with heads that were kept. Throws `malformed_request` if it contains none. */
  async verify(heads?: string): Promise<Verification> {
    return verifyChains(this.#store, this.#key, heads === undefined ? [] : parseHeads(heads));
  }

  /** The ends of all chains, signed. */
  heads(): Promise<SignedHead[]> {
    return signedHeads(this.#store, this.#key, this.#clock.now());
  }

  /** Signs ends of chains that were read elsewhere, as those of a backup. */
  signed(heads: readonly ChainHead[]): SignedHead[] {
    return heads.map((head) => signHead(this.#key, head, this.#clock.now()));
  }

  /**
   * Erases a user of the actor's project: the entries remain, and no longer tell who it was. Returns whether there were any
   * entries of the user.
   */
  async forgetUser(actor: Actor & { projectId: string }, userId: string): Promise<boolean> {
    await this.#folders.removeUser(actor.projectId, userId);
    return this.#store.write(() => this.#forgetUser(actor, userId));
  }

  *#forgetUser(actor: Actor & { projectId: string }, userId: string): Transaction<boolean> {
    const forgotten = yield* this.#audit.forgetUser(actor.projectId, userId);
    if (forgotten) yield* this.#audit.record(actor, "audit.forget_user", actor.projectId);
    return forgotten;
  }

  /** The public key of the signatures, as PEM. */
  publicKey(): string {
    return this.#key.publicKey();
  }
}
