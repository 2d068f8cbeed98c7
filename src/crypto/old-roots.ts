// Old root keys. A rotation keeps the key that it replaces in `<key file>.<id>.old`, because every earlier backup of the
// database needs it. Only checks and restorations of backups read these files by themselves.
import { existsSync, readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { configurationError, RuntimeError } from "../errors";
import { createDurably, keepOwner, syncFolder } from "./durable-file";
import type { RootKey, RootKeySettings } from "./root-key";
import { keyFileOf } from "./root-key-files";

const ID = "[0-9a-f]{16}";

function keptFile(file: string, id: string): string {
  return `${file}.${id}.old`;
}

/** The file of an old root key; undefined if it was not kept. */
export function whereKept(file: string, id: string): string | undefined {
  const kept = keptFile(file, id);
  return existsSync(kept) ? kept : undefined;
}

/** Throws `configuration` if the key cannot be kept. */
export function keepOldRoot(file: string, { id, key }: RootKey): void {
  const kept = keptFile(file, id);
  if (existsSync(kept)) return;
  try {
    createDurably(kept, `${key.reveal()}\n`);
    keepOwner(kept, file);
  } catch (cause) {
    throw configurationError(
      `The old root key cannot be kept in ${kept}. Nothing was changed. Make the folder writable for the user that runs ` +
        "runtime, and check the disk.",
      { cause },
    );
  }
}

export function dropOldRoot(file: string, id: string): void {
  rmSync(keptFile(file, id), { force: true });
  syncFolder(dirname(file));
}

/** Old root keys next to a key file, each with its id. */
export function oldRoots(file: string): { id: string; path: string }[] {
  const folder = dirname(file);
  if (!existsSync(folder)) return [];
  const pattern = new RegExp(`^\\.(${ID})\\.old$`);
  return readdirSync(folder)
    .filter((name) => name.startsWith(basename(file)))
    .toSorted()
    .flatMap((name) => {
      const [, id] = pattern.exec(name.slice(basename(file).length)) ?? [];
      return id === undefined ? [] : [{ id, path: join(folder, name) }];
    });
}

/** The root key of this machine is not the one of the database. */
export class OtherRootKey extends RuntimeError {
  /** The key that was found: where, and its id. */
  readonly found: Pick<RootKey, "id" | "source">;

  constructor(message: string, { id, source }: RootKey) {
    super("configuration", 500, message);
    this.found = { id, source };
  }
}

/** The error for a root key that the database was not last used with. */
export function wrongRoot(settings: RootKeySettings, root: RootKey, named: string): OtherRootKey {
  const file = keyFileOf(settings);
  const kept = file === undefined ? undefined : whereKept(file, named);
  // The key file may be that of another installation, which must not lose it.
  const advice =
    kept === undefined
      ? "Start with the right key, or with an empty data folder."
      : `${kept} is the right one for this database: set RUNTIME_ROOT_KEY_FILE to it where you use this data folder.`;
  return new OtherRootKey(
    `The root key of ${root.source} is not the one that this database was created with: its id is ${root.id}, and the ` +
      `database needs the one with the id ${named}. Nothing was changed. ${advice}`,
    root,
  );
}
