// Encryption at rest. The root key wraps the data keys, one or more per project. A sealed value contains the id of its data
// key and is bound to its table, row and field, so a copy in another place cannot be opened.
import type { Clock, Log } from "../base";
import { conflict, configurationError } from "../errors";
import {
  get,
  type HeldLease,
  Leases,
  releaseLease,
  run,
  type Store,
  touch,
  type Transaction,
} from "../store";
import { decrypt, encrypt, proof } from "./cipher";
import { type DataKey, DataKeys, wrapContext } from "./data-keys";
import { newId, newToken, type Random } from "./ids";
import { contextOf, type Place } from "./place";
import type { KeyEntry, Keyring, RootRotation, RootRotationOptions } from "./types";
import { findRootKey, makeRootKey, type RootKey, type RootKeySettings } from "./root-key";
import { refuseExposedKey } from "./key-mode";
import { findRootKeyById, keyFileOf, rootFromSources } from "./root-key-files";
import { whereKept, wrongRoot } from "./old-roots";
import {
  addKey,
  FIND_ROOT,
  FORGET_DROPPED,
  namedRoot,
  NOTE_DROPPED,
  PROJECTS_OF_RETIRED_KEYS,
  RETIRED_KEYS,
  RETIRE_KEYS,
  rewriteKeys,
  rootIdOf,
  SET_ROOT,
} from "./repository";
import { replaceRoot, replaceRootFromSource, restoreKeyFile, rotationTarget } from "./root-replacement";
import { damagedKeys, refusal } from "./root-rotation";
import { derivedFrom, Roots } from "./roots";
import { Unopenable, unopenable } from "./unopenable";

export interface KeyringOptions {
  store: Store;
  settings: RootKeySettings;
  random: Random;
  clock: Clock;
  log?: Pick<Log, "warn">;
}

const VERSION = "v1";
/** Attempts to find a matching root key at start. */
const TRIES = 5;
const ROTATION = "rotation of the root key";
/** How often a rotation looks at the lease of another one, and for how long. A dead one is noticed after 15 s. */
const LOOK_MS = 500;
const PATIENCE_MS = 25_000;

/**
 * Finds the root key (or creates it for a new database) and compares its id with the one in the database. The id is a
 * digest of the key, so equal ids mean equal keys.
 * Throws `configuration` if the key is missing, malformed, or not the one of this database.
 */
export async function openKeyring(options: KeyringOptions): Promise<Keyring> {
  refuseExposedKey(keyFileOf(options.settings));
  for (let tries = 1; ; tries++) {
    const named = await namedRoot(options.store);
    const root = startingRoot(named, options);
    const ring = new SealedKeyring(options, root);
    // Commands are slow, and no rotation changes what they print.
    if (
      named === undefined ||
      named === root.id ||
      tries === TRIES ||
      options.settings.sources !== undefined
    ) {
      await ring.compare(named);
      return ring;
    }
    // Another process may have rotated the key between our read of the database and our read of the file.
    await Bun.sleep(1);
  }
}

/** The root key that the database names, from any of its files; else the configured one, or a new one. */
function startingRoot(named: string | undefined, { settings, random, log }: KeyringOptions): RootKey {
  if (settings.sources !== undefined) return rootFromSources(settings.sources, named, log);
  const known = named === undefined ? undefined : findRootKeyById(settings, named);
  if (known === undefined) return findRootKey(settings) ?? newRootKey(named, settings, random);
  restoreKeyFile(settings, known, log);
  return known;
}

function newRootKey(named: string | undefined, settings: RootKeySettings, random: Random): RootKey {
  if (named === undefined) return makeRootKey(settings, random);
  throw configurationError(
    `The root key is missing: ${settings.defaultFile} does not exist and neither RUNTIME_ROOT_KEY nor ` +
      "RUNTIME_ROOT_KEY_FILE is set. Provide the key that this database was created with; nothing in it can be read without that key.",
  );
}

class SealedKeyring implements Keyring {
  readonly #store: Store;
  readonly #settings: RootKeySettings;
  readonly #random: Random;
  readonly #clock: Clock;
  readonly #log: KeyringOptions["log"];
  readonly #roots: Roots;
  readonly #dataKeys: DataKeys;
  #root: RootKey;

  constructor({ store, settings, random, clock, log }: KeyringOptions, root: RootKey) {
    this.#store = store;
    this.#settings = settings;
    this.#random = random;
    this.#clock = clock;
    this.#log = log;
    this.#root = root;
    this.#roots = new Roots(settings, root);
    this.#dataKeys = new DataKeys(store, this.#roots);
  }

  get rootKeyId(): string {
    return this.#root.id;
  }

  async derived(purpose: string): Promise<Uint8Array> {
    return this.#roots.derived((await namedRoot(this.#store)) ?? "", purpose);
  }

  derivedForGood(purpose: string): Uint8Array {
    if (this.#settings.value === undefined) throw new Error("this root key can be rotated");
    return derivedFrom(this.#root, purpose);
  }

  async check(): Promise<void> {
    const named = (await namedRoot(this.#store)) ?? "";
    if (this.#roots.find(named) !== undefined) return;
    // The id may have been read before a rotation that has finished since.
    await Bun.sleep(1);
    this.#roots.wrappingOf((await namedRoot(this.#store)) ?? "");
  }

  /** Throws `configuration` if the database names another root key. Stores the id of this one in a new database. */
  async compare(named: string | undefined): Promise<void> {
    const current = named ?? (await this.#store.write(() => this.#nameRoot()));
    if (current === this.#root.id) return;
    throw wrongRoot(this.#settings, this.#root, current);
  }

  // If two processes start on a new database at the same time, both use the root key that was stored first.
  *#nameRoot(): Transaction<string> {
    const named = rootIdOf(yield* get(FIND_ROOT));
    if (named !== undefined) return named;
    yield* run(SET_ROOT, this.#root.id);
    return this.#root.id;
  }

  async prove(text: string): Promise<string> {
    const wrapping = this.#roots.wrappingOf((await namedRoot(this.#store)) ?? "");
    return proof(wrapping, text);
  }

  *addDataKey(projectId: string): Transaction<void> {
    yield* this.#addDataKey(projectId);
  }

  // Reads the root key's id again: this process may not have noticed a rotation yet.
  *#addDataKey(projectId: string): Transaction<string> {
    const rootId = rootIdOf(yield* get(FIND_ROOT)) ?? "";
    const id = newId("dk", this.#clock.now(), this.#random);
    const text = Buffer.from(this.#random(32)).toString("base64");
    const wrapped = encrypt(this.#roots.wrappingOf(rootId), wrapContext(projectId, id), text, this.#random);
    yield* addKey({
      id,
      project_id: projectId,
      root_key_id: rootId,
      wrapped,
      created_at: this.#clock.now(),
      retired_at: null,
    });
    yield* touch("data_keys");
    return id;
  }

  *destroyDataKeys(projectId: string): Transaction<void> {
    yield* rewriteKeys((row) => (row.project_id === projectId ? undefined : row));
    yield* run(FORGET_DROPPED, projectId);
    yield* touch("data_keys");
  }

  async rotateRoot({
    leaveDamaged = false,
    deleteOld = false,
    entry,
  }: RootRotationOptions = {}): Promise<RootRotation> {
    const target = rotationTarget(this.#settings);
    const held = await this.#takeRotation();
    try {
      const damaged = await damagedKeys(this.#store, this.#roots);
      if (damaged.length > 0 && !leaveDamaged) throw refusal(damaged);
      const parts = {
        store: this.#store,
        settings: this.#settings,
        roots: this.#roots,
        random: this.#random,
        entry,
      };
      const oldId = (await namedRoot(this.#store)) ?? "";
      const isFile = typeof target === "string";
      this.#root = isFile
        ? await replaceRoot({ ...parts, log: this.#log }, { file: target, held, damaged, deleteOld })
        : await replaceRootFromSource(parts, { source: target, held, damaged });
      const oldIn = isFile ? whereKept(target, oldId) : this.#settings.sources?.current.name;
      return { id: this.#root.id, damaged, oldId, oldIn };
    } finally {
      held.stop();
      await this.#store.write(() => releaseLease(held.lease));
    }
  }

  /** Waits for a rotation that may have been killed. Throws `conflict` if another one is in progress. */
  async #takeRotation(): Promise<HeldLease> {
    const leases = new Leases(this.#store, this.#clock, newToken(this.#random));
    const end = this.#clock.monotonic() + PATIENCE_MS;
    for (;;) {
      const generation = await this.#store.generation("leases");
      const seen = await leases.look(ROTATION);
      const taken = await this.#store.write(() => leases.take(ROTATION, seen));
      if (taken !== undefined) return leases.held(taken);
      await this.#store.changed("leases", generation, { timeoutMs: LOOK_MS });
      const isAlive = seen.state !== undefined && (await leases.look(ROTATION)).state !== seen.state;
      if (isAlive || this.#clock.monotonic() >= end)
        throw conflict("Another process is rotating the root key. Try again when it has finished.");
    }
  }

  rotateDataKey(projectId: string, entry?: KeyEntry): Promise<string> {
    return this.#store.write(() => this.#rotateDataKey(projectId, entry));
  }

  *#rotateDataKey(projectId: string, entry: KeyEntry | undefined): Transaction<string> {
    yield* run(RETIRE_KEYS, this.#clock.now(), projectId);
    const id = yield* this.#addDataKey(projectId);
    if (entry !== undefined) yield* entry(id);
    return id;
  }

  *dropDataKeys(projectId: string, unused: readonly string[]): Transaction<void> {
    if (unused.length === 0) return;
    const dropped: string[] = [];
    yield* rewriteKeys((row) => {
      const isDropped = row.project_id === projectId && row.retired_at !== null && unused.includes(row.id);
      if (isDropped) dropped.push(row.id);
      return isDropped ? undefined : row;
    });
    for (const id of dropped) yield* run(NOTE_DROPPED, id, projectId);
    if (dropped.length > 0) yield* touch("data_keys");
  }

  async retiredDataKeys(projectId: string): Promise<{ id: string; retired_at: number }[]> {
    return this.#store.all(RETIRED_KEYS, projectId);
  }

  async projectsOfRetiredKeys(): Promise<string[]> {
    return (await this.#store.all(PROJECTS_OF_RETIRED_KEYS)).map(({ project_id }) => project_id);
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

  /** A value is unopenable only if its key is gone, not if the database cannot be read at the moment. */
  async #dataKey(projectId: string, id: string, place: Place): Promise<DataKey> {
    try {
      return await this.#dataKeys.one(projectId, id);
    } catch (error) {
      throw error instanceof Unopenable ? unopenable(place, error) : error;
    }
  }
}
