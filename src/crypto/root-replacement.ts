// Replaces the root key under the lease of its rotation, and restores the key file after rotations that did not finish.
import type { Log } from "../base";
import { configurationError, RuntimeError } from "../errors";
import { type HeldLease, stillHeld, type Store } from "../store";
import type { Random } from "./ids";
import { namedRoot } from "./repository";
import { readSource, type RootKey, type RootKeySettings } from "./root-key";
import { dropOldRoot, keepOldRoot } from "./old-roots";
import type { RootKeySource } from "./root-key-source";
import {
  deletePrepared,
  findRootKeyById,
  keyFileOf,
  prepareRootKey,
  promoteRootKey,
  proveReplaceable,
} from "./root-key-files";
import { type DamagedKey, tookTooLong, wrapAll } from "./root-rotation";
import type { Roots } from "./roots";
import type { KeyEntry } from "./types";

interface Parts {
  store: Store;
  settings: RootKeySettings;
  roots: Roots;
  random: Random;
  log: Pick<Log, "warn"> | undefined;
  entry: KeyEntry | undefined;
}

/** The key file that a rotation replaces, or the source of the next root key. Throws `configuration` if there is neither. */
export function rotationTarget(settings: RootKeySettings): string | RootKeySource {
  const { sources } = settings;
  if (sources === undefined) {
    const file = keyFileOf(settings);
    if (file !== undefined) return file;
    throw configurationError(
      "The root key comes from RUNTIME_ROOT_KEY, which cannot be changed while servers are running. " +
        "Put it into a file, set RUNTIME_ROOT_KEY_FILE to its path, restart the servers, and rotate then.",
    );
  }
  if (sources.next !== undefined) return sources.next;
  throw configurationError(
    `The root key comes from ${sources.current.name}, where this program cannot store a new one. Store a new key next to ` +
      `it, set ${sources.nextName} to it, restart the servers, and rotate then.`,
  );
}

interface FileReplacement {
  file: string;
  held: HeldLease;
  damaged: readonly DamagedKey[];
  /** Earlier backups can then no longer be opened. */
  deleteOld: boolean;
}

/**
 * Creates a root key, wraps all data keys except the damaged ones with it. The commit comes after
 * everything that can fail for good: the key file can be replaced, and the new key is on disk.
 */
export async function replaceRoot(
  { store, settings, roots, random, log, entry }: Parts,
  { file, held, damaged, deleteOld }: FileReplacement,
): Promise<RootKey> {
  const old = (await namedRoot(store)) ?? "";
  const oldKey = findRootKeyById(settings, old);
  proveReplaceable(file, oldKey);
  if (!(await store.write(() => stillHeld(held.lease)))) throw tookTooLong();
  const next = prepareRootKey(file, random);
  roots.add(next);
  // Before the commit, so that no failure loses the key of earlier backups.
  if (!deleteOld && oldKey !== undefined) keepOldRoot(file, oldKey);
  try {
    await store.write(() => wrapAll(held.lease, next.id, { roots, damaged, random, entry }));
  } catch (error) {
    // A failed write may have been committed: only the database can tell. A key that may still count is not deleted.
    if ((await namedRoot(store)) !== next.id) {
      if (error instanceof RuntimeError && error.name === "conflict") {
        deletePrepared(file, next.id);
        if ((await namedRoot(store)) === old) dropOldRoot(file, old);
      }
      throw error;
    }
  }
  await promote({ store, settings, log }, file, next);
  deletePrepared(file, old);
  if (deleteOld) dropOldRoot(file, old);
  return next;
}

/**
 * Wraps all data keys except the damaged ones with the root key of the next source. The operator has stored it: before the
 * commit it is read twice, because a command that prints another key each time would lose everything.
 */
export async function replaceRootFromSource(
  { store, roots, random, entry }: Pick<Parts, "store" | "roots" | "random" | "entry">,
  { source, held, damaged }: { source: RootKeySource; held: HeldLease; damaged: readonly DamagedKey[] },
): Promise<RootKey> {
  const next = readSource(source);
  if (readSource(source).id !== next.id)
    throw configurationError(
      `${source.name} gives another key each time. Nothing was changed. Store one key there.`,
    );
  if (next.id === (await namedRoot(store)))
    throw configurationError(
      `${source.name} gives the root key that is already in use. Nothing was changed. Store a new one there, made with: ` +
        "openssl rand -base64 32",
    );
  roots.add(next);
  await store.write(() => wrapAll(held.lease, next.id, { roots, damaged, random, entry }));
  return next;
}

/** Puts the new root key into the key file. It stays in its prepared file as well. */
async function promote(
  { store, settings, log }: Pick<Parts, "store" | "settings" | "log">,
  file: string,
  root: RootKey,
): Promise<void> {
  writeKeyFile(file, root, log);
  // If this process was stopped meanwhile, another rotation may have replaced the root key since.
  const named = (await namedRoot(store)) ?? root.id;
  const newer = named === root.id ? undefined : findRootKeyById(settings, named);
  if (newer !== undefined) restoreKeyFile(settings, newer, log);
}

/** Puts the current root key into the key file if it was found in a prepared file. */
export function restoreKeyFile(settings: RootKeySettings, root: RootKey, log: Parts["log"]): void {
  const file = keyFileOf(settings);
  if (file !== undefined && root.source !== (settings.file ?? settings.defaultFile))
    writeKeyFile(file, root, log);
}

// A failure is not an error: the prepared file has the key, and every start finds it there.
function writeKeyFile(file: string, root: RootKey, log: Parts["log"]): void {
  try {
    promoteRootKey(file, root);
  } catch (error) {
    log?.warn("the current root key could not be written to the key file", {
      key_file: file,
      used_file: root.source,
      error,
    });
  }
}
