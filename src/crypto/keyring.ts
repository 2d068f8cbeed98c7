// Encryption at rest. The root key wraps data keys, one or more per project; a value names its data key and is bound
// to its table, row and field, so that it cannot be read from another place.
import { conflict, configurationError } from "../errors";
import { get, releaseLease, run, type Store, takeLease, touch, type Transaction } from "../store";
import { decrypt, encrypt } from "./cipher";
import { type DataKey, DataKeys, wrapContext } from "./data-keys";
import { newId, newToken, type Random } from "./ids";
import {
  findNextRootKey,
  findRootKey,
  makeNextRootKey,
  makeRootKey,
  nextFileOf,
  promoteNextRootKey,
  type RootKey,
  type RootKeySettings,
} from "./root-key";
import {
  addKey,
  DESTROY_KEYS,
  DROP_KEY,
  FIND_ROOT,
  RETIRED_KEYS,
  RETIRE_KEYS,
  rootIdOf,
  SET_ROOT,
} from "./repository";
import { type DamagedKey, damagedKeys, refusal, wrapAll } from "./root-rotation";
import { Roots } from "./roots";
import { Unopenable, unopenable } from "./unopenable";

/** Where a sealed value stands. */
export interface Place {
  table: string;
  row: string;
  field: string;
}

/** Seals and opens values of a project. */
export interface Keyring {
  readonly rootKeyId: string;
  /** Resolves when this process knows the root key that counts now; rejects with the reason otherwise. */
  check(): Promise<void>;
  seal(projectId: string, place: Place, text: string): Promise<string>;
  /** The text again. Throws `Unopenable` when it was moved, changed, or sealed by a key that is gone. */
  open(projectId: string, place: Place, sealed: string): Promise<string>;
  /** Gives a new project its data key, inside the transaction that makes the project. */
  addDataKey(projectId: string): Transaction<void>;
  /**
   * Makes a new root key and wraps all data keys with it; the old one is gone. Works while others serve. Throws
   * `conflict` that names the data keys that cannot be unwrapped, unless they are to be left as they are.
   */
  rotateRoot(options?: { leaveDamaged?: boolean }): Promise<RootRotation>;
  /** Seals under a new data key from now on. Answers its id: what names another one is to be sealed anew. */
  rotateDataKey(projectId: string): Promise<string>;
  /** Forgets retired data keys that sealed nothing any more, `unused` says which. */
  dropDataKeys(projectId: string, unused: readonly string[]): Transaction<void>;
  /** Retired data keys of a project, and since when. */
  retiredDataKeys(projectId: string): Promise<{ id: string; retired_at: number }[]>;
  /** Destroys a project's data keys: what they sealed is gone for good. */
  destroyDataKeys(projectId: string): Transaction<void>;
}

export interface RootRotation {
  /** Of the new root key. */
  id: string;
  /** Data keys that could not be unwrapped and were left as they are. */
  damaged: DamagedKey[];
}

export interface KeyringOptions {
  store: Store;
  settings: RootKeySettings;
  random: Random;
  now: () => number;
}

const VERSION = "v1";
/** Looks at the root key of a start. */
const TRIES = 5;
const ROTATION = "rotation of the root key";
/** One short transaction; a holder that was killed is waited for no longer than this. */
const ROTATION_MS = 15_000;

/**
 * Opens the keyring: finds the root key (or makes it, for a new database) and compares it with the one that the database
 * names. The id is a digest of the key, so the right id is the right key.
 * Throws `configuration` when the key is missing, malformed, or not the one that this database was made with.
 */
export async function openKeyring(options: KeyringOptions): Promise<Keyring> {
  for (let tries = 1; ; tries++) {
    const named = await namedRoot(options.store);
    const found = findRootKey(options.settings) ?? newRootKey(named, options.settings, options.random);
    const root = rotatedRoot(named, found, options.settings);
    const ring = new SealedKeyring(options, root);
    if (named === undefined || named === root.id || tries === TRIES) {
      await ring.compare(named);
      return ring;
    }
    // A rotation by another process may have come between the look at the database and the one at the file.
    await Bun.sleep(1);
  }
}

/** The id of the root key that counts, as the database says. */
async function namedRoot(store: Store): Promise<string | undefined> {
  return rootIdOf(await store.get(FIND_ROOT));
}

function newRootKey(named: string | undefined, settings: RootKeySettings, random: Random): RootKey {
  if (named === undefined) return makeRootKey(settings, random);
  throw configurationError(
    `The root key is missing: ${settings.defaultFile} is not there and neither RUNTIME_ROOT_KEY nor ` +
      "RUNTIME_ROOT_KEY_FILE is set. Without the key that this database was made with, nothing in it can be read.",
  );
}

/** A rotation that was killed between its commit and its last step is finished: its key is put in its place. */
function rotatedRoot(named: string | undefined, root: RootKey, settings: RootKeySettings): RootKey {
  if (named === undefined || named === root.id) return root;
  const next = findNextRootKey(settings);
  if (next?.id !== named) return root;
  promoteNextRootKey(next.source);
  return { ...next, source: root.source };
}

class SealedKeyring implements Keyring {
  readonly #store: Store;
  readonly #settings: RootKeySettings;
  readonly #random: Random;
  readonly #now: () => number;
  readonly #roots: Roots;
  readonly #dataKeys: DataKeys;
  #root: RootKey;

  constructor({ store, settings, random, now }: KeyringOptions, root: RootKey) {
    this.#store = store;
    this.#settings = settings;
    this.#random = random;
    this.#now = now;
    this.#root = root;
    this.#roots = new Roots(settings, root);
    this.#dataKeys = new DataKeys(store, this.#roots);
  }

  get rootKeyId(): string {
    return this.#root.id;
  }

  async check(): Promise<void> {
    const named = (await namedRoot(this.#store)) ?? "";
    if (this.#roots.find(named) !== undefined) return;
    // It may have been read before a rotation that is over by now.
    await Bun.sleep(1);
    this.#roots.wrappingOf((await namedRoot(this.#store)) ?? "");
  }

  /** Throws `configuration` when the database names another root key; a new one is told this one's id. */
  async compare(named: string | undefined): Promise<void> {
    const counts = named ?? (await this.#store.write(() => this.#nameRoot()));
    if (counts === this.#root.id) return;
    throw configurationError(
      `The root key of ${this.#root.source} is not the one that this database was made with. ` +
        "Nothing was changed. Start with the right key, or with an empty data folder.",
    );
  }

  // Two processes that start at once on a new database agree on the root key that was named first.
  *#nameRoot(): Transaction<string> {
    const named = rootIdOf(yield* get(FIND_ROOT));
    if (named !== undefined) return named;
    yield* run(SET_ROOT, this.#root.id);
    return this.#root.id;
  }

  *addDataKey(projectId: string): Transaction<void> {
    yield* this.#addDataKey(projectId);
  }

  // Asked anew: this process may not have noticed a rotation yet.
  *#addDataKey(projectId: string): Transaction<string> {
    const rootId = rootIdOf(yield* get(FIND_ROOT)) ?? "";
    const id = newId("dk", this.#now(), this.#random);
    const text = Buffer.from(this.#random(32)).toString("base64");
    const wrapped = encrypt(this.#roots.wrappingOf(rootId), wrapContext(projectId, id), text, this.#random);
    yield* addKey({ id, project_id: projectId, root_key_id: rootId, wrapped, created_at: this.#now() });
    yield* touch("data_keys");
    return id;
  }

  *destroyDataKeys(projectId: string): Transaction<void> {
    yield* run(DESTROY_KEYS, projectId);
    yield* touch("data_keys");
  }

  async rotateRoot({ leaveDamaged = false } = {}): Promise<RootRotation> {
    const nextFile = nextFileOf(this.#settings);
    if (nextFile === undefined) {
      throw configurationError(
        "The root key comes from RUNTIME_ROOT_KEY, which running servers cannot be given anew. " +
          "Put it into a file, name that in RUNTIME_ROOT_KEY_FILE, start the servers again, and rotate then.",
      );
    }
    const holder = newToken(this.#random);
    const lease = await this.#store.write(() => takeLease(ROTATION, holder, this.#now(), ROTATION_MS));
    if (lease === undefined)
      throw conflict(
        "Another process is rotating the root key, or was killed doing so: try again in 15 seconds.",
      );
    try {
      // Before the file of the next key is written: a rotation that was killed may have left its own there.
      this.#root = rotatedRoot(await namedRoot(this.#store), this.#root, this.#settings);
      const damaged = await damagedKeys(this.#store, this.#roots);
      if (damaged.length > 0 && !leaveDamaged) throw refusal(damaged);
      const next = makeNextRootKey(nextFile, this.#random);
      this.#roots.add(next);
      await this.#store.write(() => wrapAll(lease, this.#roots, next.id, damaged, this.#random));
      promoteNextRootKey(nextFile);
      this.#root = { ...next, source: nextFile.replace(/\.next$/, "") };
      return { id: next.id, damaged };
    } finally {
      await this.#store.write(() => releaseLease(lease));
    }
  }

  rotateDataKey(projectId: string): Promise<string> {
    return this.#store.write(() => this.#rotateDataKey(projectId));
  }

  *#rotateDataKey(projectId: string): Transaction<string> {
    yield* run(RETIRE_KEYS, this.#now(), projectId);
    return yield* this.#addDataKey(projectId);
  }

  *dropDataKeys(projectId: string, unused: readonly string[]): Transaction<void> {
    for (const id of unused) yield* run(DROP_KEY, projectId, id);
    if (unused.length > 0) yield* touch("data_keys");
  }

  async retiredDataKeys(projectId: string): Promise<{ id: string; retired_at: number }[]> {
    return this.#store.all(RETIRED_KEYS, projectId);
  }

  async seal(projectId: string, place: Place, text: string): Promise<string> {
    const { id, key } = await this.#dataKeys.active(projectId);
    return `${VERSION}.${id}.${encrypt(key, contextOf(place), text, this.#random)}`;
  }

  async open(projectId: string, place: Place, sealed: string): Promise<string> {
    const [version, id, body] = sealed.split(".");
    if (version !== VERSION || id === undefined || body === undefined) throw unopenable(place);
    const { key } = await this.#dataKey(projectId, id, place);
    try {
      return decrypt(key, contextOf(place), body);
    } catch (error) {
      throw unopenable(place, error);
    }
  }

  /** A key that is gone, and not one that the database does not give us just now, makes a value unopenable. */
  async #dataKey(projectId: string, id: string, place: Place): Promise<DataKey> {
    try {
      return await this.#dataKeys.one(projectId, id);
    } catch (error) {
      throw error instanceof Unopenable ? unopenable(place, error) : error;
    }
  }
}

function contextOf({ table, row, field }: Place): string {
  return JSON.stringify([table, row, field]);
}
