// Encryption at rest. The root key wraps data keys, one or more per project; a value names its data key and is bound
// to its table, row and field, so that it cannot be read from another place.
import { configurationError, internalError } from "../errors";
import { get, query, run, type Store, type Transaction } from "../store";
import { decrypt, derive, encrypt } from "./cipher";
import { newId, type Random } from "./ids";
import { findRootKey, makeRootKey, type RootKey, type RootKeySettings } from "./root-key";

/** Where a sealed value stands. */
export interface Place {
  table: string;
  row: string;
  field: string;
}

/** Seals and opens values of a project. */
export interface Keyring {
  readonly rootKeyId: string;
  seal(projectId: string, place: Place, text: string): Promise<string>;
  /** The text again. Throws `internal_error` when it was moved, changed, or sealed by a key that is gone. */
  open(projectId: string, place: Place, sealed: string): Promise<string>;
  /** Gives a new project its data key, inside the transaction that makes the project. */
  addDataKey(projectId: string): Transaction<void>;
  /** Destroys a project's data keys: what they sealed is gone for good. */
  destroyDataKeys(projectId: string): Transaction<void>;
}

export interface KeyringOptions {
  store: Store;
  settings: RootKeySettings;
  random: Random;
  now: () => number;
}

interface DataKeyRow {
  id: string;
  root_key_id: string;
  wrapped: string;
}

const CANARY = "canary of the root key";
const VERSION = "v1";

const FIND_FACT = query<{ value: string }>("SELECT value FROM facts WHERE name = 'root_key_canary'");
const ADD_FACT = query("INSERT INTO facts (name, value) VALUES ('root_key_canary', ?)");
const ADD_KEY = query(
  "INSERT INTO data_keys (id, project_id, root_key_id, wrapped, created_at, retired_at) VALUES (?, ?, ?, ?, ?, NULL)",
);
const DESTROY_KEYS = query("DELETE FROM data_keys WHERE project_id = ?");
const ACTIVE_KEY = query<DataKeyRow>(
  "SELECT id, root_key_id, wrapped FROM data_keys WHERE project_id = ? AND retired_at IS NULL " +
    "ORDER BY created_at DESC LIMIT 1",
);
const ONE_KEY = query<DataKeyRow>(
  "SELECT id, root_key_id, wrapped FROM data_keys WHERE project_id = ? AND id = ?",
);

/**
 * Opens the keyring: finds the root key (or makes it, for a new database) and proves it on the canary.
 * Throws `configuration` when the key is missing, malformed, or not the one that this database was made with.
 */
export async function openKeyring({ store, settings, random, now }: KeyringOptions): Promise<Keyring> {
  const canary = (await store.get(FIND_FACT))?.value;
  const root = findRootKey(settings) ?? newRootKey(canary, settings, random);
  const ring = new SealedKeyring(store, root, random, now);
  await ring.prove(canary);
  return ring;
}

function newRootKey(canary: string | undefined, settings: RootKeySettings, random: Random): RootKey {
  if (canary === undefined) return makeRootKey(settings, random);
  throw configurationError(
    `The root key is missing: ${settings.defaultFile} is not there and neither RUNTIME_ROOT_KEY nor ` +
      "RUNTIME_ROOT_KEY_FILE is set. Without the key that this database was made with, nothing in it can be read.",
  );
}

class SealedKeyring implements Keyring {
  readonly #store: Store;
  readonly #root: RootKey;
  readonly #random: Random;
  readonly #now: () => number;
  readonly #wrapping: Uint8Array;
  readonly #unwrapped = new Map<string, Uint8Array>();

  constructor(store: Store, root: RootKey, random: Random, now: () => number) {
    this.#store = store;
    this.#root = root;
    this.#random = random;
    this.#now = now;
    this.#wrapping = derive(Buffer.from(root.key.reveal(), "base64"), "wrapping of data keys");
  }

  get rootKeyId(): string {
    return this.#root.id;
  }

  async prove(canary: string | undefined): Promise<void> {
    const stored = canary ?? (await this.#store.write(() => this.#addCanary()));
    try {
      if (decrypt(this.#wrapping, CANARY, stored) === CANARY) return;
    } catch (error) {
      throw configurationError(
        `The root key of ${this.#root.source} is not the one that this database was made with. ` +
          "Nothing was changed. Start with the right key, or with an empty data folder.",
        { cause: error },
      );
    }
  }

  // Two processes that start at once on a new database agree on the canary that came first.
  *#addCanary(): Transaction<string> {
    const found = yield* get(FIND_FACT);
    if (found !== undefined) return found.value;
    const canary = encrypt(this.#wrapping, CANARY, CANARY, this.#random);
    yield* run(ADD_FACT, canary);
    return canary;
  }

  *addDataKey(projectId: string): Transaction<void> {
    const id = newId("dk", this.#now(), this.#random);
    const text = Buffer.from(this.#random(32)).toString("base64");
    const wrapped = encrypt(this.#wrapping, wrapContext(projectId, id), text, this.#random);
    yield* run(ADD_KEY, id, projectId, this.#root.id, wrapped, this.#now());
  }

  *destroyDataKeys(projectId: string): Transaction<void> {
    yield* run(DESTROY_KEYS, projectId);
  }

  async seal(projectId: string, place: Place, text: string): Promise<string> {
    const row = await this.#store.get(ACTIVE_KEY, projectId);
    if (row === undefined) throw internalError("This project has no data key.");
    return `${VERSION}.${row.id}.${encrypt(this.#unwrap(projectId, row), contextOf(place), text, this.#random)}`;
  }

  async open(projectId: string, place: Place, sealed: string): Promise<string> {
    const [version, id, body] = sealed.split(".");
    if (version !== VERSION || id === undefined || body === undefined) {
      throw internalError("A stored value has an unknown form.");
    }
    const row = await this.#store.get(ONE_KEY, projectId, id);
    if (row === undefined) throw internalError("The data key of a stored value is gone.");
    try {
      return decrypt(this.#unwrap(projectId, row), contextOf(place), body);
    } catch (error) {
      throw internalError("A stored value cannot be decrypted.", {
        cause: error,
      });
    }
  }

  #unwrap(projectId: string, row: DataKeyRow): Uint8Array {
    const known = this.#unwrapped.get(row.id);
    if (known !== undefined) return known;
    const key = Buffer.from(decrypt(this.#wrapping, wrapContext(projectId, row.id), row.wrapped), "base64");
    this.#unwrapped.set(row.id, key);
    return key;
  }
}

function contextOf({ table, row, field }: Place): string {
  return JSON.stringify([table, row, field]);
}

function wrapContext(projectId: string, keyId: string): string {
  return JSON.stringify(["data_keys", projectId, keyId]);
}
