// The folders in which backups are made, checked and restored. They contain databases that are not encrypted, so what a killed
// process has left is removed by the next one. A lock, which the system releases with the process, tells which are in use.
import { existsSync, lstatSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Config } from "../config";
import { configurationError } from "../errors";
import { lockExisting, lockNew } from "../store";

const PREFIX = ".runtime-backup-";
const NAME = /^\.runtime-backup-[A-Za-z0-9]{6}$/;
/** Those of earlier versions have no lock, so nothing proves that they are not in use. */
const EARLIER = /^(?:\.restore-|runtime-backup-|\..+\.backup(?:\.age)?\.)[A-Za-z0-9]{6}$/;
const LOCK = "lock";

/** Those of this process. */
const open = new Set<WorkFolder>();

export class WorkFolder implements Disposable {
  readonly path: string;
  readonly #lock: Disposable;

  /** A new folder in `place`, which only this user can read. Throws what the file system throws. */
  constructor(place: string) {
    sweepWorkFolders([place]);
    this.path = mkdtempSync(join(place, PREFIX));
    try {
      // Under its name only when it is locked: it is otherwise one that a dead process has left.
      this.#lock = lockNew(join(this.path, `${LOCK}.new`));
      renameSync(join(this.path, `${LOCK}.new`), join(this.path, LOCK));
    } catch (error) {
      rmSync(this.path, { recursive: true, force: true });
      throw error;
    }
    open.add(this);
  }

  [Symbol.dispose](): void {
    open.delete(this);
    using _lock = this.#lock;
    removeLocked(this.path);
  }
}

/** A work folder in the first of the places that takes one. A small system may have no folder for temporary files. */
export function workFolderIn(places: readonly string[]): WorkFolder {
  sweepWorkFolders(places);
  for (const place of places) {
    try {
      return new WorkFolder(place);
    } catch {
      // The next place, or the error below.
    }
  }
  throw configurationError(
    `There is no folder to unpack the backup into: ${places.join(", ")} cannot be written. Set TMPDIR to one that can.`,
  );
}

/** Removes the work folders of this process, which is about to end. */
export function removeWorkFolders(): void {
  for (const folder of [...open].toReversed()) folder[Symbol.dispose]();
}

/** Removes the work folders of this user that dead processes have left in these places. Throws nothing. */
export function sweepWorkFolders(places: readonly string[]): void {
  for (const { path, isSwept } of places.flatMap(leftWorkFolders)) {
    if (!isSwept) continue;
    try {
      using lock = lockExisting(join(path, LOCK));
      if (lock !== undefined) removeLocked(path);
    } catch {
      // Another process removes it, or it cannot be removed; doctor names it.
    }
  }
}

/** Where commands and servers with this configuration put work folders. */
export function workPlaces(config: Config): string[] {
  const data = config.dataFolder();
  const places = [data, join(data, "backups"), config.backupFolder(), tmpdir()];
  return [...new Set(places.filter((place) => place !== undefined))];
}

export interface LeftFolder {
  path: string;
  /** Whether the next backup, check or start removes it. */
  isSwept: boolean;
}

/** Work folders of this user in a place that no living process is known to use. */
export function leftWorkFolders(place: string): LeftFolder[] {
  let names: string[];
  try {
    names = readdirSync(place).filter((name) => NAME.test(name) || EARLIER.test(name));
  } catch {
    return [];
  }
  return names
    .map((name) => ({ path: join(place, name), isSwept: NAME.test(name) }))
    .filter((folder) => isLeft(folder));
}

function isLeft({ path, isSwept }: LeftFolder): boolean {
  try {
    const found = lstatSync(path);
    if (!found.isDirectory() || found.uid !== process.getuid?.()) return false;
    if (!isSwept) return existsSync(join(path, "runtime.db"));
    if (lstatSync(join(path, LOCK), { throwIfNoEntry: false })?.isFile() !== true) return false;
    using lock = lockExisting(join(path, LOCK));
    return lock !== undefined;
  } catch {
    return false;
  }
}

/** The lock last: a process that is killed meanwhile leaves a folder that the next one removes. */
function removeLocked(path: string): void {
  if (!existsSync(path)) return;
  for (const name of readdirSync(path).filter((each) => each !== LOCK))
    rmSync(join(path, name), { recursive: true, force: true });
  rmSync(path, { recursive: true, force: true });
}
