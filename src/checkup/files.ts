// Read-only checks of the data folder, the database files and the root key file.
import { constants, existsSync, statfsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { shellWord } from "../base";
import type { Config } from "../config";
import { damageOf, keepsRests } from "../store";
import { type Finding, ok, problem, warning } from "./finding";
import { configurationFindings, may, OTHERS } from "./modes";
import { keyFindings } from "./root-key";

const MIN_FREE_BYTES = 200 * 1024 * 1024;
/** Network file systems (statfs(2)): NFS, SMB, CIFS. The WAL of SQLite needs shared memory on one machine. */
const NETWORK_TYPES = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42]);

/** Checks the folder of the configuration, and the data folder with its files. */
export function checkFiles(config: Config): Finding[] {
  return [...configurationFindings(config), ...dataFindings(config)];
}

function dataFindings(config: Config): Finding[] {
  const folder = config.dataFolder();
  if (config.settings["database.url"] !== undefined) return findingsWithPostgres(config, folder);
  if (!existsSync(folder))
    return [missingFolderFinding(config, folder), ...keyFindings(config, folder, false)];
  if (!statSync(folder).isDirectory()) {
    const fix = "Set data_dir (RUNTIME_DATA_DIR) to a folder.";
    return [problem("data folder", `${folder} is not a folder.`, fix)];
  }
  const file = join(folder, "runtime.db");
  const exists = existsSync(file);
  const around = [
    folderFinding(folder),
    ...(exists ? [] : emptyFinding(config, folder)),
    spaceFinding(folder),
  ];
  // A problem with the folder or the disk would only be reported again for the database.
  const checked = exists && around.every(({ status }) => status !== "problem");
  return [...around, ...(checked ? [databaseFinding(file)] : []), ...keyFindings(config, folder, exists)];
}

/** With PostgreSQL, the folder only has files of programs, and may be missing. */
function findingsWithPostgres(config: Config, folder: string): Finding[] {
  // Whether there is an installation that needs the key is known when the database is read.
  const key = keyFindings(config, folder, false);
  if (!existsSync(folder)) return key;
  const left = ["runtime.db", "executions.db"].filter((name) => existsSync(join(folder, name)));
  if (left.length === 0) return [folderFinding(folder), ...key];
  const message = `${folder} has ${left.join(" and ")}, which no server uses while database.url is set.`;
  const fix =
    "If the installation was copied to PostgreSQL, move them away, so that no server uses them by mistake.";
  return [folderFinding(folder), warning("data folder", message, fix), ...key];
}

/** A data folder that is set, but has no database: the setting may be misspelled. */
function emptyFinding(config: Config, folder: string): Finding[] {
  const origin = config.originOf("data_dir");
  if (origin === "default") return [];
  const fix = `Correct it (${origin}), or create a new installation there: runtime init`;
  return [warning("data folder", `${folder} contains no installation yet.`, fix)];
}

function missingFolderFinding(config: Config, folder: string): Finding {
  let parent = dirname(folder);
  while (!existsSync(parent) && parent !== dirname(parent)) parent = dirname(parent);
  if (may(parent, constants.W_OK | constants.X_OK))
    return (
      emptyFinding(config, folder)[0] ?? ok("data folder", `${folder} does not exist yet and can be created.`)
    );
  const fix = `Create it: mkdir -p ${shellWord(folder)}, as the user that runs runtime, or set data_dir (RUNTIME_DATA_DIR).`;
  return problem("data folder", `${folder} does not exist, and ${parent} is not writable.`, fix);
}

function folderFinding(folder: string): Finding {
  if (!may(folder, constants.R_OK | constants.W_OK | constants.X_OK)) {
    const fix = `Make the user that runs runtime its owner: chown, then chmod 700 ${shellWord(folder)}`;
    return problem("data folder", `${folder} is not readable and writable.`, fix);
  }
  if ((statSync(folder).mode & OTHERS) !== 0)
    return warning("data folder", `Other users can read ${folder}.`, `Run: chmod 700 ${shellWord(folder)}`);
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
    const fix = `Make the user that runs runtime its owner: chown, then chmod 600 ${shellWord(file)}`;
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
    return warning("database", `Other users can read ${file}.`, `Run: chmod 600 ${shellWord(file)}`);
  return ok("database", `${file} is not damaged.`);
}

/** After deletions in a database that is too large to be rewritten while it is used. */
export function restsFinding(config: Config): Finding[] {
  if (config.settings["database.url"] !== undefined) return [];
  const file = join(config.dataFolder(), "runtime.db");
  if (!keepsRests(file)) return [];
  const message = `Copies of deleted values may still be in ${file}, which is too large to be rewritten while it is used.`;
  const fix = `Stop all servers and run: sqlite3 ${file} 'VACUUM; PRAGMA user_version = 1'`;
  return [warning("deleted values", message, fix)];
}
