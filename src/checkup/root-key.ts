// Checks of the root key: where it comes from, who can read it, and which old ones are left.
import { existsSync, statSync } from "node:fs";
import { relative } from "node:path";
import { shellWord } from "../base";
import type { Config } from "../config";
import {
  hasPreparedKey,
  keyModeFault,
  leftoverKeyFiles,
  oldRoots,
  resolvedFile,
  rootKeySources,
} from "../crypto";
import { type Finding, ok, problem, warning } from "./finding";
import { may, OTHERS, READ } from "./modes";

/** A running rotation takes seconds. */
const LEFTOVER_MS = 24 * 3_600_000;

// Opening the database shows whether the key is the right one.
export function keyFindings(config: Config, folder: string, hasDatabase: boolean): Finding[] {
  if (config.rootKey !== undefined) return [ok("root key", "It comes from RUNTIME_ROOT_KEY.")];
  const sources = rootKeySources(config);
  if (sources !== undefined) return [ok("root key", `It comes from ${sources.current.name}.`)];
  const file = config.rootKeyFile() ?? config.defaultRootKeyFile();
  if (!existsSync(file)) {
    // A start finds the key in the prepared file of a rotation, and opening the database shows whether it is the right one.
    if (hasDatabase && hasPreparedKey(file)) return [];
    if (!hasDatabase && config.rootKeyFile() === undefined)
      return [ok("root key", `${file} is created by the first start.`)];
    const fix = `Restore the root key of this database to ${file}, or set RUNTIME_ROOT_KEY.`;
    return [problem("root key", `The root key file ${file} does not exist.`, fix)];
  }
  if (!may(file, READ)) {
    const fix = `Make the user that runs runtime its owner: chown, then chmod 600 ${shellWord(file)}`;
    return [problem("root key", `${file} is not readable.`, fix)];
  }
  const exposed = keyModeFault(file);
  if (exposed !== undefined) return [problem("root key", exposed.message, exposed.fix)];
  if (!relative(folder, file).startsWith("..")) {
    const fix =
      "Move it out of the data folder and set root_key_file (RUNTIME_ROOT_KEY_FILE) to the new place.";
    return [
      warning("root key", `${file} is in the data folder, so a backup of the data contains its key.`, fix),
    ];
  }
  if ((statSync(file).mode & OTHERS) !== 0)
    return [warning("root key", `Other users can read ${file}.`, `Run: chmod 600 ${shellWord(file)}`)];
  return [ok("root key", `It is in ${file}.`)];
}

/** The id by which backups and messages name the root key, and the old ones that were kept for earlier backups. */
export function rootKeyIdFinding(config: Config, id: string): Finding {
  const own = `The database and every backup made now need the root key with the id ${id}.`;
  if (config.rootKey !== undefined || rootKeySources(config) !== undefined) return ok("root key id", own);
  const kept = oldRoots(resolvedFile(config.rootKeyFile() ?? config.defaultRootKeyFile()));
  if (kept.length === 0) return ok("root key id", own);
  return ok(
    "root key id",
    `${own} Earlier backups need an old one: ${kept.map(({ path }) => path).join(", ")}.`,
  );
}

/** Old root keys in files that killed rotations left behind. `rootKeyId`: the current root key. */
export function leftoverKeysFinding(config: Config, rootKeyId: string, now: number): Finding[] {
  if (config.rootKey !== undefined || rootKeySources(config) !== undefined) return [];
  const file = resolvedFile(config.rootKeyFile() ?? config.defaultRootKeyFile());
  const left = leftoverKeyFiles(file, rootKeyId, now - LEFTOVER_MS);
  if (left.length === 0) return [];
  const message = `Rotations that did not finish left files with an old or unused root key: ${left.join(", ")}.`;
  const fix = "Delete them, unless a backup of the database needs one of them.";
  return [warning("old root keys", message, fix)];
}
