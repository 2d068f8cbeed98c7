// Verification of the audit trail for the operator, on the data folder.
import type { Clock } from "../base";
import type { Store } from "../store";
import { parseHeads, type SignedHead, signedHeads } from "./heads";
import type { SigningKey } from "./signing";
import { type Verification, verifyChains } from "./verify";

export class Inspection {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #key: SigningKey;

  constructor({ store, clock }: { store: Store; clock: Clock }, key: SigningKey) {
    this.#store = store;
    this.#clock = clock;
    this.#key = key;
  }

  /** `heads`: the text of a file with heads that were kept. Throws `malformed_request` if it contains none. */
  verify(heads?: string): Promise<Verification> {
    return verifyChains(this.#store, this.#key, heads === undefined ? [] : parseHeads(heads));
  }

  /** The ends of all chains, signed. */
  heads(): Promise<SignedHead[]> {
    return signedHeads(this.#store, this.#key, this.#clock.now());
  }

  /** The public key of the signatures, as PEM. */
  publicKey(): string {
    return this.#key.publicKey();
  }
}
