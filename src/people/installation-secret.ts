// A secret of the installation: what is given out without being stored, as ids of clients and challenges of passkeys, has a code
// that is made with it. It is sealed with the data key of the default project, so that all servers have the same one, and no
// rotation of a root key or a data key changes it.
import type { Core } from "../core";
import { derive, Unopenable } from "../crypto";
import { DEFAULT_ID } from "../identity";
import { CachedByGeneration, touch, type Transaction } from "../store";
import {
  addItemIfNew,
  findItem,
  type ItemRow,
  placeOf,
  removeUnchanged,
} from "./authorization-server/item-repository";

type Parts = Pick<Core, "store" | "keyring" | "clock" | "random" | "log">;

/** A key for one purpose, 32 bytes. */
export type KeyOf = (purpose: string) => Promise<Uint8Array>;

const [KIND, ID] = ["InstallationSecret", "installation"];
/** A secret that cannot be opened is replaced, at most so often in a row. */
const TRIES = 5;

/** What is stored, and the secret in it; undefined if it cannot be opened. */
interface Loaded {
  row: ItemRow;
  secret: Uint8Array | undefined;
}

export class InstallationSecret {
  readonly #core: Parts;
  readonly #loaded: CachedByGeneration<"secret", Loaded | undefined>;

  constructor(core: Parts) {
    this.#core = core;
    this.#loaded = new CachedByGeneration(core.store, "data_keys");
  }

  /** Derived from the secret, which is made at its first use. */
  readonly keyOf: KeyOf = async (purpose) => derive(await this.#secret(), purpose);

  /**
   * Sources of the keys of what was given out. Earlier versions derived them from the root key; what they gave out counts until
   * that is rotated.
   */
  get known(): readonly KeyOf[] {
    return [this.keyOf, (purpose) => this.#core.keyring.derived(purpose)];
  }

  async #secret(): Promise<Uint8Array> {
    for (let tries = 1; tries <= TRIES; tries++) {
      const loaded = await this.#loaded.get("secret", this.#load);
      if (loaded?.secret !== undefined) return loaded.secret;
      await this.#make(loaded?.row);
    }
    throw new Error("the secret of the installation keeps changing");
  }

  readonly #load = async (): Promise<Loaded | undefined> => {
    const { store, keyring, log } = this.#core;
    const row = await findItem(store, KIND, ID);
    if (row === undefined) return undefined;
    try {
      const text = await keyring.open(row.project_id, placeOf(KIND, ID), row.sealed_payload);
      return { row, secret: Buffer.from(text, "base64") };
    } catch (error) {
      if (!(error instanceof Unopenable)) throw error;
      log.warn("the secret of the installation cannot be decrypted and is replaced");
      return { row, secret: undefined };
    }
  };

  /** Does nothing if another process has stored one meanwhile. `lost`: the row that cannot be opened. */
  async #make(lost: ItemRow | undefined): Promise<void> {
    const { store, keyring, clock, random } = this.#core;
    const secret = Buffer.from(random(32)).toString("base64");
    const row: ItemRow = {
      kind: KIND,
      hash: ID,
      project_id: DEFAULT_ID,
      user_id: null,
      client_id: null,
      grant_id: null,
      grant_hash: null,
      user_code_hash: null,
      sealed_payload: await keyring.seal(DEFAULT_ID, placeOf(KIND, ID), secret),
      created_at: clock.now(),
      expires_at: null,
      consumed_at: null,
    };
    await store.write(function* (): Transaction<void> {
      if (lost !== undefined) yield* removeUnchanged(lost);
      yield* addItemIfNew(row);
      yield* touch("data_keys");
    });
  }
}
