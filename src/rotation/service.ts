// Rotation of keys while the server runs. A new root key only re-wraps the data keys; with a new data key every value of
// the project is re-encrypted, in small steps that skip values which change in the meantime.
import type { Audit } from "../audit";
import type { Core } from "../core";
import {
  dataKeyOf,
  type Place,
  positionOf,
  sealedBy,
  type SealedColumn,
  type SealedRow,
  Unopenable,
} from "../crypto";
import type { Principal } from "../identity";
import { erase, get, run, type SqlValue, touch, type Transaction } from "../store";

/** A value sealed just before a rotation may be committed after it, so retired keys are kept at least this long. */
const RETENTION_MS = 3600_000;

/** Matches every key: no sealed value is empty. */
const ANY_KEY = "";

interface Resealed {
  row: SealedRow;
  sealed: string;
}

/** A value that cannot be opened. */
interface Unsealed {
  place: string;
  error: Unopenable;
}

/** One run through all sealed values of a project. */
interface Pass {
  /** The newest data key that is known, by which values need not be sealed again. */
  newest: string;
  /** Values that another key sealed. */
  found: number;
  resealed: number;
  /** Places of values that cannot be opened and were not changed. */
  unopenable: Set<string>;
}

/** Values that change during a pass are found by the next one, so a second or third pass finds nothing. */
const MAX_PASSES = 20;

export interface RootKeyRotation {
  /** The id of the new root key. */
  id: string;
  /** The id of the old one, which backups from before need. */
  old_id: string;
  /** The file or setting that has the old one; absent: it was deleted. */
  old_in?: string;
  /** Data keys that cannot be unwrapped and were not changed; absent: none. The log names them. */
  damaged?: number;
}

export interface DataKeyRotation {
  /** The id of the new data key. */
  id: string;
  resealed: number;
  /** Values that cannot be opened and were not changed; absent: none. The log names them. */
  unopenable?: number;
  /** Values that are still sealed with an older key because they changed all the time; absent: none. Rotate again. */
  remaining?: number;
}

export class Rotation {
  readonly #core: Core;
  readonly #audit: Audit;
  readonly #columns: readonly SealedColumn[];

  constructor(core: Core, audit: Audit, columns: readonly SealedColumn[]) {
    this.#core = core;
    this.#audit = audit;
    this.#columns = columns;
  }

  /**
   * Replaces the root key in its file. Throws `configuration` if the key comes from the environment, and `conflict` if
   * data keys are damaged, unless `leaveDamaged` is set.
   */
  async rotateRoot(
    principal: Principal,
    options?: { leaveDamaged?: boolean; deleteOld?: boolean },
  ): Promise<RootKeyRotation> {
    const { id, damaged, oldId, oldIn } = await this.#core.keyring.rotateRoot({
      ...options,
      entry: (key) => this.#audit.record({ ...principal, projectId: null }, "key.rotate_root", key),
    });
    for (const { id: key, projectId } of damaged)
      this.#core.log.error("a data key was not wrapped with the new root key", {
        project_id: projectId,
        data_key: key,
      });
    return {
      id,
      old_id: oldId,
      ...(oldIn === undefined ? {} : { old_in: oldIn }),
      ...(damaged.length === 0 ? {} : { damaged: damaged.length }),
    };
  }

  /** Replaces the data key of the project. */
  async rotateDataKey(principal: Principal): Promise<DataKeyRotation> {
    const { projectId } = principal;
    const id = await this.#core.keyring.rotateDataKey(projectId, (key) =>
      this.#audit.record(principal, "key.rotate_data", key),
    );
    let pass: Pass = { newest: id, found: 0, resealed: 0, unopenable: new Set() };
    let resealed = 0;
    for (let passes = 1; passes <= MAX_PASSES; passes++) {
      pass = await this.#resealAll(projectId, pass);
      resealed += pass.resealed;
      if (pass.found === pass.unopenable.size) break;
    }
    await this.#dropUnused(projectId);
    // What the former data key has sealed must be gone: a backup may contain that key.
    await this.#core.store.write(() => erase());
    const unopenable = pass.unopenable.size;
    const remaining = pass.found - unopenable - pass.resealed;
    return {
      id,
      resealed,
      ...(unopenable === 0 ? {} : { unopenable }),
      ...(remaining === 0 ? {} : { remaining }),
    };
  }

  /** Deletes the retired data keys of all projects that are old enough and no longer used. Servers do it regularly. */
  async dropRetiredKeys(): Promise<void> {
    for (const projectId of await this.#core.keyring.projectsOfRetiredKeys())
      await this.#dropUnused(projectId);
  }

  /** Stored values of the project that cannot be opened. Tries at most `limit` of each kind. */
  async unopenable(projectId: string, limit: number): Promise<{ tried: number; places: Place[] }> {
    const found = { tried: 0, places: [] as Place[] };
    for (const column of this.#columns) {
      let after = positionOf(column);
      for (let seen = 0; seen < limit;) {
        const rows = await this.#core.store.all(column.list, projectId, ANY_KEY, ...after);
        if (rows.length === 0) break;
        const places = await Promise.all(rows.map((row) => this.#unopenablePlace(projectId, column, row)));
        found.places.push(...places.filter((place) => place !== undefined));
        found.tried += rows.length;
        seen += rows.length;
        after = positionOf(column, rows.at(-1));
      }
    }
    return found;
  }

  async #unopenablePlace(
    projectId: string,
    column: SealedColumn,
    row: SealedRow,
  ): Promise<Place | undefined> {
    const place = column.place(row);
    try {
      await this.#core.keyring.open(projectId, place, String(row["sealed"]));
      return undefined;
    } catch (error) {
      if (error instanceof Unopenable) return place;
      throw error;
    }
  }

  async #resealAll(projectId: string, { newest, unopenable }: Pass): Promise<Pass> {
    const pass: Pass = { newest, found: 0, resealed: 0, unopenable: new Set() };
    for (const column of this.#columns) await this.#resealColumn(projectId, column, pass, unopenable);
    return pass;
  }

  /** `logged`: the places that an earlier pass has reported. */
  async #resealColumn(
    projectId: string,
    column: SealedColumn,
    pass: Pass,
    logged: ReadonlySet<string>,
  ): Promise<void> {
    let after = positionOf(column);
    for (;;) {
      const rows = await this.#core.store.all(column.list, projectId, sealedBy(pass.newest), ...after);
      if (rows.length === 0) return;
      after = positionOf(column, rows.at(-1));
      pass.found += rows.length;
      const tried = await Promise.all(rows.map((row) => this.#reseal(projectId, column, row)));
      const resealed = tried.filter((one) => "sealed" in one);
      for (const one of tried) {
        if ("sealed" in one) continue;
        pass.unopenable.add(one.place);
        if (!logged.has(one.place))
          this.#core.log.error("a stored value was not sealed with the new data key", {
            project_id: projectId,
            error: one.error,
          });
      }
      if (resealed.length === 0) continue;
      // Rows that were changed or deleted meanwhile are skipped; the next pass finds what is left.
      pass.resealed += await this.#core.store.write(() => replaceAll(projectId, column, resealed));
      // If another rotation has started, values are now sealed with its key.
      pass.newest = dataKeyOf(resealed[0]?.sealed ?? "");
    }
  }

  async #reseal(projectId: string, column: SealedColumn, row: SealedRow): Promise<Resealed | Unsealed> {
    const { keyring } = this.#core;
    const place = column.place(row);
    try {
      const text = await keyring.open(projectId, place, String(row["sealed"]));
      return { row, sealed: await keyring.seal(projectId, place, text) };
    } catch (error) {
      if (!(error instanceof Unopenable)) throw error;
      return { place: JSON.stringify(place), error };
    }
  }

  async #dropUnused(projectId: string): Promise<void> {
    const { store, keyring, clock } = this.#core;
    const retired = await keyring.retiredDataKeys(projectId);
    for (const { id, retired_at } of retired) {
      if (retired_at > clock.now() - RETENTION_MS) continue;
      // Most keys that are still used are found without the write lock.
      const counts = await Promise.all(
        this.#columns.map((column) => store.get(column.count, projectId, sealedBy(id))),
      );
      if (counts.every((row) => row?.count === 0)) await store.write(() => this.#dropIfUnused(projectId, id));
    }
  }

  *#dropIfUnused(projectId: string, id: string): Transaction<void> {
    for (const column of this.#columns) {
      const row = yield* get(column.count, projectId, sealedBy(id));
      if (row?.count !== 0) return;
    }
    yield* this.#core.keyring.dropDataKeys(projectId, [id]);
  }
}

function* replaceAll(projectId: string, column: SealedColumn, all: readonly Resealed[]): Transaction<number> {
  let changed = 0;
  for (const { row, sealed } of all) {
    const keys: SqlValue[] = column.keys.map((key) => row[key] ?? null);
    changed += yield* run(column.replace, sealed, projectId, ...keys, row["sealed"] ?? null);
  }
  // Clears caches, which would otherwise use a key that is deleted later.
  if (changed > 0 && column.kind !== undefined) yield* touch(column.kind);
  return changed;
}
