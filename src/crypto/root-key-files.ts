// The files of a root key that can be rotated: the key file, and one prepared file for each rotation, whose name ends with
// the id of its key. A prepared file is never overwritten, and the one that the database names is never deleted. So some
// readable file always contains the current root key, whatever a frozen or killed rotation has left in the key file.
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Log } from "../base";
import { configurationError } from "../errors";
import { createDurably, keepOwner, replaceDurably, resolvedFile, syncFolder } from "./durable-file";
import type { Random } from "./ids";
import {
  findRootKey,
  newRootKey,
  readRootKey,
  readSource,
  type RootKey,
  type RootKeySettings,
} from "./root-key";
import type { RootKeySources } from "./root-key-source";

const ROOT_KEY_ID = /^[0-9a-f]{16}$/;

/** The file of the root key, without symbolic links; undefined if the key does not come from a file. */
export function keyFileOf({ value, file, sources, defaultFile }: RootKeySettings): string | undefined {
  return value === undefined && sources === undefined ? resolvedFile(file ?? defaultFile) : undefined;
}

/**
 * Looks for the root key with this id in the key file, in its prepared file, and in the key file again, because another
 * process may replace the key file in between. Never throws for a file that cannot be read.
 */
export function findRootKeyById(settings: RootKeySettings, id: string): RootKey | undefined {
  const { sources } = settings;
  if (sources !== undefined) return findInSources(sources, id);
  const main = (): RootKey | undefined => readable(() => findRootKey(settings));
  for (const read of [main, () => findPrepared(settings, id), main]) {
    const root = read();
    if (root?.id === id) return root;
  }
  return undefined;
}

/**
 * The root key that the database names, from the current or the next source; else that of the current one. Throws
 * `configuration` if the current source fails and the next one does not have the key.
 */
export function rootFromSources(
  sources: RootKeySources,
  named: string | undefined,
  log: Pick<Log, "warn"> | undefined,
): RootKey {
  const { current, next } = sources;
  let failure: unknown;
  let root: RootKey | undefined;
  try {
    root = readSource(current);
    if (named === undefined || root.id === named) return root;
  } catch (error) {
    failure = error;
  }
  const other = named === undefined || next === undefined ? undefined : readable(() => readSource(next));
  if (other !== undefined && other.id === named) {
    log?.warn("the root key comes from the next source; make it the current one", { setting: other.source });
    return other;
  }
  if (root === undefined) throw failure;
  return root;
}

function findInSources({ current, next }: RootKeySources, id: string): RootKey | undefined {
  for (const source of next === undefined ? [current] : [current, next]) {
    const root = readable(() => readSource(source));
    if (root?.id === id) return root;
  }
  return undefined;
}

/**
 * The file with the root key of this id: the key file, that of an old key, or that of a rotation; undefined if there is none.
 * Never throws for a file that cannot be read.
 */
export function fileOfRootKey(path: string, id: string): string | undefined {
  if (!ROOT_KEY_ID.test(id)) return undefined;
  const file = resolvedFile(path);
  return [path, `${file}.${id}.old`, `${file}.${id}`].find(
    (name) => existsSync(name) && readable(() => readRootKey(name))?.id === id,
  );
}

/** Earlier versions used `.next` for every rotation, next to a symbolic link to the key file. */
function findPrepared(settings: RootKeySettings, id: string): RootKey | undefined {
  const file = keyFileOf(settings);
  if (file === undefined) return undefined;
  const names = [`${file}.${id}`, `${file}.next`, `${settings.file ?? settings.defaultFile}.next`];
  for (const name of names) {
    const root = existsSync(name) ? readable(() => readRootKey(name)) : undefined;
    if (root?.id === id) return root;
  }
  return undefined;
}

function readable(read: () => RootKey | undefined): RootKey | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** Creates the key of a rotation in its prepared file. Throws `configuration` if that is not possible. */
export function prepareRootKey(file: string, random: Random): RootKey {
  const { text, id } = newRootKey(random);
  const prepared = `${file}.${id}`;
  try {
    createDurably(prepared, `${text}\n`);
    keepOwner(prepared, file);
    return readRootKey(prepared);
  } catch (error) {
    throw configurationError(
      `Cannot write a new root key to the folder ${dirname(file)}: ${codeOf(error)}. Nothing was changed. ` +
        "Make the folder writable for the user that runs runtime, and check the disk.",
      { cause: error },
    );
  }
}

/**
 * Proves that the key file can be replaced, by replacing it with a copy of itself. It cannot be if it is a mount of its own,
 * as a single file that is mounted into a container is, or if its folder is not writable. Throws `configuration`.
 */
export function proveReplaceable(file: string, current: RootKey | undefined): void {
  try {
    // The text of a key file that is right stays as it is, in whatever encoding.
    const isRight = current === undefined || readable(() => readRootKey(file))?.id === current.id;
    const text = isRight ? readFileSync(file, "utf8") : textOf(current);
    replaceDurably(file, text);
  } catch (error) {
    // Without a key file there is nothing to replace; its folder is tested by the prepared file.
    if (!existsSync(file)) return;
    const code = codeOf(error);
    const advice =
      code === "EBUSY"
        ? "It is mounted as a single file: mount the folder that contains it instead."
        : `Make the folder ${dirname(file)} writable for the user that runs runtime, or mount a writable folder that contains the file.`;
    throw configurationError(
      `The root key file ${file} cannot be replaced (${code}). Nothing was changed. ${advice}`,
      {
        cause: error,
      },
    );
  }
}

/** Puts a root key into the key file. Throws what the file system throws. */
export function promoteRootKey(file: string, root: RootKey): void {
  replaceDurably(file, textOf(root));
}

/** Deletes the prepared file of a root key that the database will never name again. */
export function deletePrepared(file: string, id: string): void {
  if (!ROOT_KEY_ID.test(id)) return;
  for (const name of [`${file}.${id}`, ...oldSchemeOf(file, id)]) rmSync(name, { force: true });
  syncFolder(dirname(file));
}

function oldSchemeOf(file: string, id: string): string[] {
  const name = `${file}.next`;
  return existsSync(name) && readable(() => readRootKey(name))?.id === id ? [name] : [];
}

/** Whether a rotation has prepared any key for this key file. */
export function hasPreparedKey(path: string): boolean {
  const file = resolvedFile(path);
  const prefix = `${basename(file)}.`;
  if (!existsSync(dirname(file))) return false;
  return readdirSync(dirname(file)).some(
    (name) => name.startsWith(prefix) && ROOT_KEY_ID.test(name.slice(prefix.length)),
  );
}

/** Files next to the key file that killed rotations left behind: old or unused root keys, unchanged since `before` (ms). */
export function leftoverKeyFiles(file: string, currentId: string, before: number): string[] {
  const [folder, name] = [dirname(file), basename(file)];
  return readdirSync(folder)
    .filter((other) => other.startsWith(`${name}.`) && other !== `${name}.${currentId}`)
    .filter((other) => /^\.(next|[0-9a-f]{16}(\.new)?|\d+\.new)$/.test(other.slice(name.length)))
    .map((other) => join(folder, other))
    .filter((path) => (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity) < before)
    .filter((path) => readable(() => readRootKey(path))?.id !== currentId)
    .toSorted();
}

function textOf(root: RootKey): string {
  return `${root.key.reveal()}\n`;
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown reason";
}
