// Rotation of keys while the server runs. A new root key only re-wraps the data keys; with a new data key every value of
// the project is re-encrypted, in small steps that skip values which change in the meantime.
import type { Audit } from "../audit";
import type { Core } from "../core";
import { dataKeyOf, type Place, sealedBy, type SealedColumn, type SealedRow, Unopenable } from "../crypto";
import type { Principal } from "../identity";
import { run, type SqlValue, touch, type Transaction } from "../store";

/** A value sealed just before a rotation may be committed after it, so retired keys are kept at least this long. */
const RETENTION_MS = 3600_000;

/** Matches every key: no sealed value is empty. */
const ANY_KEY = "";

interface Resealed {
  row: SealedRow;
  sealed: string;
}

interface Counts {
  resealed: number;
  /** Values that cannot be opened and were not changed. */
  unopenable: number;
}

export interface RootKeyRotation {
  /** The id of the new root key. */
  id: string;
  /** Data keys that cannot be unwrapped and were not changed; absent: none. The log names them. */
  damaged?: number;
}

export interface DataKeyRotation {
  /** The id of the new data key. */
  id: string;
  resealed: number;
  /** Values that cannot be opened and were not changed; absent: none. The log names them. */
  unopenable?: number;
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
  async rotateRoot(principal: Principal, options?: { leaveDamaged?: boolean }): Promise<RootKeyRotation> {
    const { id, damaged } = await this.#core.keyring.rotateRoot(options);
    for (const { id: key, projectId } of damaged)
      this.#core.log.error("a data key was not wrapped with the new root key", {
        project_id: projectId,
        data_key: key,
      });
    const entry = () => this.#audit.record({ ...principal, projectId: null }, "key.rotate_root", id);
    await this.#core.store.write(entry);
    return { id, ...(damaged.length === 0 ? {} : { damaged: damaged.length }) };
  }

  /** Replaces the data key of the project. */
  async rotateDataKey(principal: Principal): Promise<DataKeyRotation> {
    const { projectId } = principal;
    const id = await this.#core.keyring.rotateDataKey(projectId);
    let [resealed, unopenable] = [0, 0];
    for (const column of this.#columns) {
      const done = await this.#resealColumn(projectId, column, id);
      resealed += done.resealed;
      unopenable += done.unopenable;
    }
    await this.#dropUnused(projectId);
    await this.#core.store.write(() => this.#audit.record(principal, "key.rotate_data", id));
    return { id, resealed, ...(unopenable === 0 ? {} : { unopenable }) };
  }

  /** Stored values of the project that cannot be opened. Tries at most `limit` of each kind. */
  async unopenable(projectId: string, limit: number): Promise<{ tried: number; places: Place[] }> {
    const found = { tried: 0, places: [] as Place[] };
    for (const column of this.#columns) {
      for (let offset = 0; offset < limit;) {
        const rows = await this.#core.store.all(column.list, projectId, ANY_KEY, offset);
        if (rows.length === 0) break;
        const places = await Promise.all(rows.map((row) => this.#unopenablePlace(projectId, column, row)));
        found.places.push(...places.filter((place) => place !== undefined));
        found.tried += rows.length;
        offset += rows.length;
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

  async #resealColumn(projectId: string, column: SealedColumn, id: string): Promise<Counts> {
    const counts = { resealed: 0, unopenable: 0 };
    let newest = id;
    for (;;) {
      // Values that cannot be opened stay in the list and are skipped.
      const rows = await this.#core.store.all(column.list, projectId, sealedBy(newest), counts.unopenable);
      if (rows.length === 0) return counts;
      const tried = await Promise.all(rows.map((row) => this.#reseal(projectId, column, row)));
      const resealed = tried.filter((one) => one !== undefined);
      counts.unopenable += tried.length - resealed.length;
      if (resealed.length === 0) continue;
      const changed = await this.#core.store.write(() => replaceAll(projectId, column, resealed));
      // Rows that change concurrently are sealed with the new key by those changes.
      if (changed === 0) return counts;
      counts.resealed += changed;
      // If another rotation has started, values are now sealed with its key.
      newest = dataKeyOf(resealed[0]?.sealed ?? "");
    }
  }

  /** Undefined (and logged) for a value that cannot be opened. */
  async #reseal(projectId: string, column: SealedColumn, row: SealedRow): Promise<Resealed | undefined> {
    const { keyring, log } = this.#core;
    const place = column.place(row);
    try {
      const text = await keyring.open(projectId, place, String(row["sealed"]));
      return { row, sealed: await keyring.seal(projectId, place, text) };
    } catch (error) {
      if (!(error instanceof Unopenable)) throw error;
      log.error("a stored value was not sealed with the new data key", { project_id: projectId, error });
      return undefined;
    }
  }

  async #dropUnused(projectId: string): Promise<void> {
    const { store, keyring, clock } = this.#core;
    const retired = await keyring.retiredDataKeys(projectId);
    const unused: string[] = [];
    for (const { id, retired_at } of retired) {
      if (retired_at > clock.now() - RETENTION_MS) continue;
      const counts = await Promise.all(
        this.#columns.map((column) => store.get(column.count, projectId, sealedBy(id))),
      );
      if (counts.every((row) => row?.count === 0)) unused.push(id);
    }
    await store.write(() => keyring.dropDataKeys(projectId, unused));
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
