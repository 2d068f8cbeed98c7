// Read-only checks of the data folder, the database files and the root key file.
import { accessSync, constants, existsSync, statfsSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { Config } from "../config";
import { hasPreparedKey, leftoverKeyFiles, resolvedFile, rootKeySources } from "../crypto";
import { damageOf, keepsRests } from "../store";
import { type Finding, ok, problem, warning } from "./finding";

const MIN_FREE_BYTES = 200 * 1024 * 1024;
/** Network file systems (statfs(2)): NFS, SMB, CIFS. The WAL of SQLite needs shared memory on one machine. */
const NETWORK_TYPES = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42]);
const OTHERS = 0o077;
/** A running rotation takes seconds. */
const LEFTOVER_MS = 24 * 3_600_000;

/** Checks the data folder and its files. */
export function checkFiles(config: Config): Finding[] {
  const folder = config.dataFolder();
  if (!existsSync(folder)) return [missingFolderFinding(folder), ...keyFindings(config, folder, false)];
  if (!statSync(folder).isDirectory()) {
    const fix = "Set data_dir (RUNTIME_DATA_DIR) to a folder.";
    return [problem("data folder", `${folder} is not a folder.`, fix)];
  }
  const file = join(folder, "runtime.db");
  const exists = existsSync(file);
  const around = [folderFinding(folder), spaceFinding(folder)];
  // A problem with the folder or the disk would only be reported again for the database.
  const checked = exists && around.every(({ status }) => status !== "problem");
  return [...around, ...(checked ? [databaseFinding(file)] : []), ...keyFindings(config, folder, exists)];
}

function missingFolderFinding(folder: string): Finding {
  let parent = dirname(folder);
  while (!existsSync(parent) && parent !== dirname(parent)) parent = dirname(parent);
  if (may(parent, constants.W_OK | constants.X_OK))
    return ok("data folder", `${folder} does not exist yet and can be created.`);
  const fix = `Create it: mkdir -p ${folder}, as the user that runs runtime, or set data_dir (RUNTIME_DATA_DIR).`;
  return problem("data folder", `${folder} does not exist, and ${parent} is not writable.`, fix);
}

function folderFinding(folder: string): Finding {
  if (!may(folder, constants.R_OK | constants.W_OK | constants.X_OK)) {
    const fix = `Make the user that runs runtime its owner: chown, then chmod 700 ${folder}`;
    return problem("data folder", `${folder} is not readable and writable.`, fix);
  }
  if ((statSync(folder).mode & OTHERS) !== 0)
    return warning("data folder", `Other users can read ${folder}.`, `Run: chmod 700 ${folder}`);
  return ok("data folder", `${folder} is private and writable.`);
}

function spaceFinding(folder: string): Finding {
  const { type, bavail, bsize } = statfsSync(folder);
  if (NETWORK_TYPES.has(type)) {
    const fix = "Set data_dir (RUNTIME_DATA_DIR) to a folder on a local disk.";
    return problem("disk", `${folder} is on a network file system, which can damage the database.`, fix);
  }
  const free = bavail * bsize;
  const megabytes = Math.round(free / 1024 / 1024);
  if (free < MIN_FREE_BYTES) {
    const fix = "Free some space, or move the data folder to another disk.";
    return problem("disk", `Only ${megabytes} MB are free for ${folder}.`, fix);
  }
  return ok("disk", "There is enough free space.");
}

function databaseFinding(file: string): Finding {
  if (!may(file, constants.R_OK | constants.W_OK)) {
    const fix = `Make the user that runs runtime its owner: chown, then chmod 600 ${file}`;
    return problem("database", `${file} is not readable and writable.`, fix);
  }
  let damage: string | undefined;
  try {
    damage = damageOf(file);
  } catch (error) {
    const reason = error instanceof Error ? error.message : "unknown reason";
    const fix = "Check the disk, and whether another program uses the file. It is not known to be damaged.";
    return problem("database", `${file} cannot be checked: ${reason}.`, fix);
  }
  if (damage !== undefined) {
    const fix = "Restore the data folder from a backup, with the root key that belongs to it.";
    return problem("database", `${file} is damaged: ${damage}.`, fix);
  }
  if ((statSync(file).mode & OTHERS) !== 0)
    return warning("database", `Other users can read ${file}.`, `Run: chmod 600 ${file}`);
  return ok("database", `${file} is not damaged.`);
}

// Opening the database shows whether the key is the right one.
function keyFindings(config: Config, folder: string, hasDatabase: boolean): Finding[] {
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
  if (!may(file, constants.R_OK)) {
    const fix = `Make the user that runs runtime its owner: chown, then chmod 600 ${file}`;
    return [problem("root key", `${file} is not readable.`, fix)];
  }
  if (!relative(folder, file).startsWith("..")) {
    const fix =
      "Move it out of the data folder and set root_key_file (RUNTIME_ROOT_KEY_FILE) to the new place.";
    return [
      warning("root key", `${file} is in the data folder, so a backup of the data contains its key.`, fix),
    ];
  }
  if ((statSync(file).mode & OTHERS) !== 0)
    return [warning("root key", `Other users can read ${file}.`, `Run: chmod 600 ${file}`)];
  return [ok("root key", `It is in ${file}.`)];
}

/** After deletions in a database that is too large to be rewritten while it is used. */
export function restsFinding(config: Config): Finding[] {
  const file = join(config.dataFolder(), "runtime.db");
  if (!keepsRests(file)) return [];
  const message = `Copies of deleted values may still be in ${file}, which is too large to be rewritten while it is used.`;
  const fix = `Stop all servers and run: sqlite3 ${file} 'VACUUM; PRAGMA user_version = 1'`;
  return [warning("deleted values", message, fix)];
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

function may(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}
