// Permissions of files and folders.
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { exposedMode, shellWord } from "../base";
import { type Config, parseDatabaseUrl } from "../config";
import { type Finding, ok, problem } from "./finding";

/** Rights of the group and of all other users. */
export const OTHERS = 0o077;
const WRITE_OF_OTHERS = 0o022;
/** Only the owner of a file may rename or delete it in such a folder (/tmp). */
const STICKY = 0o1000;

export function may(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

/** A user who may write there decides which root key, which addresses and which commands this installation uses. */
export function configurationFindings(config: Config): Finding[] {
  const { file } = config;
  if (file === undefined || !existsSync(dirname(file))) return [];
  const folder = dirname(file);
  const mode = statSync(folder).mode;
  if ((mode & WRITE_OF_OTHERS) !== 0 && (mode & STICKY) === 0) {
    const message = `Other users can replace the files in ${folder} (mode ${shownMode(mode)}).`;
    return [problem("configuration folder", message, `Run: chmod 700 ${shellWord(folder)}`)];
  }
  if (existsSync(file) && (statSync(file).mode & WRITE_OF_OTHERS) !== 0)
    return [
      problem("configuration file", `Other users can change ${file}.`, `Run: chmod 600 ${shellWord(file)}`),
    ];
  const exposed = existsSync(file) && hasDatabasePassword(config) ? exposedMode(file) : undefined;
  if (exposed !== undefined) {
    const message = `Other users can read the password of the database in ${file} (mode ${exposed}).`;
    return [
      problem("configuration file", message, `Run: chmod 600 ${shellWord(file)}. Then change the password.`),
    ];
  }
  return [ok("configuration folder", `Only its owner can write to ${folder}.`)];
}

/** Whether the configuration file contains a password of the database. */
function hasDatabasePassword(config: Config): boolean {
  return (["database.url", "database.migrate_url", "database.listen_url"] as const).some((name) => {
    const url = config.settings[name];
    if (url === undefined || !config.originOf(name).startsWith("file ")) return false;
    return parseDatabaseUrl(url).password !== undefined;
  });
}

/** As `chmod` takes it: `0644`. */
export function shownMode(mode: number): string {
  return (mode & 0o7777).toString(8).padStart(4, "0");
}

/** The right to read, for `may`. */
export const READ = constants.R_OK;
