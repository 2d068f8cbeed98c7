// Folder, database and key as they lie on the disk. Looks, and changes nothing.
import { accessSync, constants, existsSync, statfsSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { Config } from "../config";
import { damageOf } from "../store";
import { type Finding, ok, problem, warning } from "./finding";

const LEAST_FREE = 200 * 1024 * 1024;
/** Types of file systems over a network (statfs(2)): NFS, SMB, CIFS. SQLite's WAL needs memory shared on one machine. */
const NETWORKED = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42]);
const OTHERS = 0o077;

/** The data folder and what is in it. */
export function checkFiles(config: Config): Finding[] {
  const folder = config.dataFolder();
  if (!existsSync(folder)) return [folderToBe(folder), ...keyFindings(config, folder, false)];
  if (!statSync(folder).isDirectory()) {
    const fix = "Set data_dir (RUNTIME_DATA_DIR) to a folder.";
    return [problem("data folder", `${folder} is no folder.`, fix)];
  }
  const file = join(folder, "runtime.db");
  const there = existsSync(file);
  const around = [folderFinding(folder), spaceFinding(folder)];
  // Where the folder or the disk is no good, the database can only say so in other words.
  const seen = there && around.every(({ status }) => status !== "problem");
  return [...around, ...(seen ? [databaseFinding(file)] : []), ...keyFindings(config, folder, there)];
}

function folderToBe(folder: string): Finding {
  let parent = dirname(folder);
  while (!existsSync(parent) && parent !== dirname(parent)) parent = dirname(parent);
  if (may(parent, constants.W_OK | constants.X_OK))
    return ok("data folder", `${folder} is not there yet and can be made.`);
  const fix = `Make it: mkdir -p ${folder}, as the user that runs runtime, or set data_dir (RUNTIME_DATA_DIR).`;
  return problem("data folder", `${folder} is not there, and ${parent} cannot be written.`, fix);
}

function folderFinding(folder: string): Finding {
  if (!may(folder, constants.R_OK | constants.W_OK | constants.X_OK)) {
    const fix = `Give it to the user that runs runtime: chown, then chmod 700 ${folder}`;
    return problem("data folder", `${folder} cannot be read and written.`, fix);
  }
  if ((statSync(folder).mode & OTHERS) !== 0)
    return warning("data folder", `Others may look into ${folder}.`, `Run: chmod 700 ${folder}`);
  return ok("data folder", `${folder} is private and can be written.`);
}

function spaceFinding(folder: string): Finding {
  const { type, bavail, bsize } = statfsSync(folder);
  if (NETWORKED.has(type)) {
    const fix = "Set data_dir (RUNTIME_DATA_DIR) to a disk of this machine.";
    return problem(
      "disk",
      `${folder} lies on a network file system, where the database may be damaged.`,
      fix,
    );
  }
  const free = bavail * bsize;
  const megabytes = Math.round(free / 1024 / 1024);
  if (free < LEAST_FREE) {
    const fix = "Free some space, or move the data folder to another disk.";
    return problem("disk", `Only ${megabytes} MB are free for ${folder}.`, fix);
  }
  return ok("disk", "There is space enough.");
}

function databaseFinding(file: string): Finding {
  if (!may(file, constants.R_OK | constants.W_OK)) {
    const fix = `Give it to the user that runs runtime: chown, then chmod 600 ${file}`;
    return problem("database", `${file} cannot be read and written.`, fix);
  }
  let damage: string | undefined;
  try {
    damage = damageOf(file);
  } catch (error) {
    const reason = error instanceof Error ? error.message : "unknown reason";
    const fix = "Look at the disk, and at what else uses the file. Nothing says that it is damaged.";
    return problem("database", `${file} cannot be looked into: ${reason}.`, fix);
  }
  if (damage !== undefined) {
    const fix = "Restore the data folder from a backup, with the root key that belongs to it.";
    return problem("database", `${file} is damaged: ${damage}.`, fix);
  }
  if ((statSync(file).mode & OTHERS) !== 0)
    return warning("database", `Others may read ${file}.`, `Run: chmod 600 ${file}`);
  return ok("database", `${file} is whole.`);
}

// Whether it is the right key is found when the database is opened.
function keyFindings(config: Config, folder: string, database: boolean): Finding[] {
  if (config.rootKey !== undefined) return [ok("root key", "It comes from RUNTIME_ROOT_KEY.")];
  const file = config.rootKeyFile() ?? config.defaultRootKeyFile();
  if (!existsSync(file)) {
    if (!database && config.rootKeyFile() === undefined)
      return [ok("root key", `${file} is made at the first start.`)];
    const fix = `Put the key that belongs to this database back to ${file}, or set RUNTIME_ROOT_KEY.`;
    return [problem("root key", `The root key file ${file} is not there.`, fix)];
  }
  if (!may(file, constants.R_OK)) {
    const fix = `Give it to the user that runs runtime: chown, then chmod 600 ${file}`;
    return [problem("root key", `${file} cannot be read.`, fix)];
  }
  if (!relative(folder, file).startsWith("..")) {
    const fix =
      "Move it out of the data folder and set root_key_file (RUNTIME_ROOT_KEY_FILE) to the new place.";
    return [warning("root key", `${file} lies in the data folder: a backup of the data holds its key.`, fix)];
  }
  if ((statSync(file).mode & OTHERS) !== 0)
    return [warning("root key", `Others may read ${file}.`, `Run: chmod 600 ${file}`)];
  return [ok("root key", `It is in ${file}.`)];
}

function may(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}
