// What the other areas use of the keyring.
import type { Transaction } from "../store";
import type { Place } from "./place";
import type { DamagedKey } from "./root-rotation";

/** Seals and opens values of a project. */
export interface Keyring {
  readonly rootKeyId: string;
  /** Resolves when this process has the current root key; rejects with the reason otherwise. */
  check(): Promise<void>;
  /** 32 bytes for one purpose, derived from the root key that the database names: a rotation changes them. */
  derived(purpose: string): Promise<Uint8Array>;
  /** The same for a root key that cannot be rotated (`RUNTIME_ROOT_KEY`). Throws for another one. */
  derivedForGood(purpose: string): Uint8Array;
  seal(projectId: string, place: Place, text: string): Promise<string>;
  /** Returns the plain text. Throws `Unopenable` if the value was moved or changed, or if its data key is gone. */
  open(projectId: string, place: Place, sealed: string): Promise<string>;
  /** A code by which processes that have the current root key recognize each other. */
  prove(text: string): Promise<string>;
  /** Creates the data key of a new project, in the transaction that creates the project. */
  addDataKey(projectId: string): Transaction<void>;
  /**
   * Creates a new root key and wraps all data keys with it. Works while other processes serve. The old key is kept in a
   * file of its own, for earlier backups, unless `deleteOld` is set or it does not come from a file.
   * If data keys cannot be unwrapped, throws `conflict` with their ids, unless `leaveDamaged` is set. `entry` belongs to the
   * transaction that names the new key, whose id it gets.
   */
  rotateRoot(options?: RootRotationOptions): Promise<RootRotation>;
  /**
   * Creates a new data key for sealing and returns its id. Values under other data keys are to be sealed again. `entry` belongs
   * to its transaction and gets its id.
   */
  rotateDataKey(projectId: string, entry?: KeyEntry): Promise<string>;
  /** Deletes the retired data keys in `unused`, which no stored value uses. */
  dropDataKeys(projectId: string, unused: readonly string[]): Transaction<void>;
  /** The retired data keys of a project and when each was retired. */
  retiredDataKeys(projectId: string): Promise<{ id: string; retired_at: number }[]>;
  /** The projects that have retired data keys. */
  projectsOfRetiredKeys(): Promise<string[]>;
  /** Deletes a project's data keys. Values sealed with them can never be opened again. */
  destroyDataKeys(projectId: string): Transaction<void>;
}

/** Enters a new key into the audit trail. */
export type KeyEntry = (id: string) => Transaction<void>;

export interface RootRotationOptions {
  leaveDamaged?: boolean | undefined;
  deleteOld?: boolean | undefined;
  entry?: KeyEntry | undefined;
}

export interface RootRotation {
  /** Id of the new root key. */
  id: string;
  /** Id of the old one. */
  oldId: string;
  /** The file or setting that has the old one; undefined: it was deleted. */
  oldIn: string | undefined;
  /** Data keys that could not be unwrapped and were left unchanged. */
  damaged: DamagedKey[];
}
