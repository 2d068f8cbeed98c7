// A cache of unwrapped data keys. It is emptied when any process changes a data key, so a deleted key opens nothing and a
// retired key seals nothing from the next event-loop turn on.
import { internalError } from "../errors";
import { CachedByGeneration, type Store } from "../store";
import { decrypt } from "./cipher";
import { ACTIVE_KEY, type DataKeyRow, FIND_ROOT, ONE_KEY, rootIdOf } from "./repository";
import type { Roots } from "./roots";
import { Unopenable } from "./unopenable";

const TRIES = 5;
const ADVICE = "Create a new one for new values: runtime keys rotate-data --project ID.";

export interface DataKey {
  id: string;
  key: Uint8Array;
}

export class DataKeys {
  readonly #store: Store;
  readonly #roots: Roots;
  /** The sealing key of each project. */
  readonly #active: CachedByGeneration<string, DataKey>;
  readonly #known: CachedByGeneration<string, DataKey>;

  constructor(store: Store, roots: Roots) {
    this.#store = store;
    this.#roots = roots;
    this.#active = new CachedByGeneration(store, "data_keys");
    this.#known = new CachedByGeneration(store, "data_keys");
  }

  /** The current sealing key of a project. Throws `internal_error` if the project has none. */
  async active(projectId: string): Promise<DataKey> {
    return this.#active.get(projectId, this.#loadActive);
  }

  /** One data key of a project, retired or not. Throws `Unopenable` if it does not exist. */
  async one(projectId: string, id: string): Promise<DataKey> {
    return this.#known.get(`${projectId}\n${id}`, () => this.#loadOne(projectId, id));
  }

  readonly #loadActive = async (projectId: string): Promise<DataKey> => {
    const row = await this.#current(async () => this.#store.get(ACTIVE_KEY, projectId));
    if (row === undefined) throw internalError("This project has no data key.");
    return this.#unwrapped(projectId, row);
  };

  async #loadOne(projectId: string, id: string): Promise<DataKey> {
    const row = await this.#current(async () => this.#store.get(ONE_KEY, projectId, id));
    if (row === undefined) throw new Unopenable("The data key of a stored value no longer exists.");
    return this.#unwrapped(projectId, row);
  }

  /** Reads again if the row names an unknown root key: it was read before a rotation. */
  async #current(read: () => Promise<DataKeyRow | undefined>): Promise<DataKeyRow | undefined> {
    for (let tries = 1; ; tries++) {
      const row = await read();
      if (row === undefined || tries === TRIES || this.#roots.find(row.root_key_id) !== undefined) return row;
      await Bun.sleep(1);
    }
  }

  async #unwrapped(projectId: string, row: DataKeyRow): Promise<DataKey> {
    const wrapping = this.#roots.find(row.root_key_id) ?? (await this.#missing(row));
    try {
      const text = decrypt(wrapping, wrapContext(projectId, row.id), row.wrapped);
      return { id: row.id, key: Buffer.from(text, "base64") };
    } catch (error) {
      throw new Unopenable(`A data key cannot be unwrapped. ${ADVICE}`, error);
    }
  }

  /** A rotation skips data keys that it cannot unwrap. The current root key, however, must be known to this process. */
  async #missing({ root_key_id }: DataKeyRow): Promise<Uint8Array> {
    const current = await this.#store.get(FIND_ROOT);
    if (rootIdOf(current) !== root_key_id)
      throw new Unopenable(`The root key of a data key no longer exists. ${ADVICE}`);
    return this.#roots.wrappingOf(root_key_id);
  }
}

/** Binds a wrapped data key to its project and id. */
export function wrapContext(projectId: string, keyId: string): string {
  return JSON.stringify(["data_keys", projectId, keyId]);
}
