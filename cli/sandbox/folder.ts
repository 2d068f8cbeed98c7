// The folder of the sandbox. It is never the data folder of an installation, and a reset deletes only what a sandbox has made.
import { lstatSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { absolute, defaultStateFolder, type Environment } from "../../src/config";
import { configurationError, conflict } from "../../src/errors";
import { STATE_FILE, newState, writeState } from "./state";

const CONFIG_FILE = "runtime.yaml";
const DATA_FOLDER = "data";
const LOCK_FILE = "lock";
const MADE = [DATA_FOLDER, CONFIG_FILE, "root.key", "audit.key"];

export interface SandboxFolder {
  readonly path: string;
  readonly configFile: string;
  readonly dataFolder: string;
  readonly lockFile: string;
}

/** The folder that a flag names, or the default one. Throws `configuration` without a home folder. */
export function sandboxFolder(flag: string | undefined, environment: Environment): SandboxFolder {
  const state = defaultStateFolder(environment);
  if (flag === undefined && state === undefined)
    throw configurationError(
      "There is no home folder for the data of the sandbox. Choose a folder: runtime sandbox --data-dir FOLDER",
    );
  const path = flag === undefined ? join(state ?? "", "sandbox") : absolute(flag, environment);
  return {
    path,
    configFile: join(path, CONFIG_FILE),
    dataFolder: join(path, DATA_FOLDER),
    lockFile: join(path, LOCK_FILE),
  };
}

/** Whether there is a sandbox in the folder. Throws `conflict` if there is something else, which is left alone. */
export function hasSandbox({ path, ...inner }: SandboxFolder): boolean {
  const kind = kindOf(path);
  if (kind === "absent") return false;
  if (kind === "other") throw conflict(`${path} is not a folder. Choose one with --data-dir.`);
  for (const each of [path, inner.dataFolder, inner.configFile]) {
    if (kindOf(each) === "link")
      throw conflict(
        `${each} is a symbolic link, and the sandbox does not follow links. Choose another folder with --data-dir.`,
      );
  }
  const names = listed(path);
  if (names.includes(STATE_FILE)) return true;
  // A start that was killed at once has left the draft of the mark.
  if (names.every((name) => name === LOCK_FILE || name.startsWith(`${STATE_FILE}.`))) return false;
  const what = names.includes("runtime.db")
    ? "the data folder of an installation"
    : "not a folder of a sandbox";
  throw conflict(`${path} is ${what}. Nothing was changed. Choose an empty folder with --data-dir.`);
}

/** Creates the folder, and the mark that it is a sandbox's. Throws `configuration` if it is not writable. */
export function makeFolder({ path }: SandboxFolder): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    writeState(path, newState());
  } catch (error) {
    throw notWritable(path, error);
  }
}

export function notWritable(path: string, error: unknown): Error {
  const reason = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
  return configurationError(
    `${path} cannot be written${reason}. Choose a folder for the data of the sandbox with --data-dir.`,
    { cause: error },
  );
}

/** Deletes what the sandbox has made in its folder, and nothing else. */
export function emptyFolder({ path }: SandboxFolder): void {
  try {
    for (const name of readdirSync(path).filter(isMade))
      rmSync(join(path, name), { recursive: true, force: true });
  } catch (error) {
    throw notWritable(path, error);
  }
}

// Names that go on are drafts of files, and former root keys. The mark stays until there is nothing else.
function isMade(name: string): boolean {
  return MADE.includes(name) || [...MADE, STATE_FILE].some((made) => name.startsWith(`${made}.`));
}

function listed(path: string): string[] {
  try {
    return readdirSync(path);
  } catch (error) {
    throw notWritable(path, error);
  }
}

function kindOf(path: string): "absent" | "folder" | "link" | "other" {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return "absent";
  if (found.isSymbolicLink()) return "link";
  return found.isDirectory() ? "folder" : "other";
}
