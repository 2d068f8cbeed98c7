// Folders according to the XDG base directory specification. They are created on first use, by `ensureFolder`.
import { mkdirSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { configurationError } from "../errors";

export type Environment = { readonly [name: string]: string | undefined };

/** `$XDG_CONFIG_HOME/runtime/runtime.yaml`, or undefined without a home folder. */
export function defaultConfigFile(environment: Environment): string | undefined {
  const folder = xdg(environment, "XDG_CONFIG_HOME", ".config");
  return folder === undefined ? undefined : join(folder, "runtime", "runtime.yaml");
}

/** `$XDG_DATA_HOME/runtime`, or undefined without a home folder. */
export function defaultDataFolder(environment: Environment): string | undefined {
  const folder = xdg(environment, "XDG_DATA_HOME", ".local/share");
  return folder === undefined ? undefined : join(folder, "runtime");
}

/** `$XDG_STATE_HOME/runtime`, or undefined without a home folder. */
export function defaultStateFolder(environment: Environment): string | undefined {
  const folder = xdg(environment, "XDG_STATE_HOME", ".local/state");
  return folder === undefined ? undefined : join(folder, "runtime");
}

/** Makes a path absolute; `~` is the home folder. Throws `configuration` for `~` without a home folder. */
export function absolute(path: string, environment: Environment): string {
  if (path !== "~" && !path.startsWith("~/")) return resolve(path);
  const home = environment["HOME"];
  if (home !== undefined && isAbsolute(home)) return resolve(join(home, path.slice(1)));
  throw configurationError(`${path}: there is no home folder for ~. Set HOME, or use an absolute path.`);
}

/** Creates the folder (0700) if it does not exist. Throws `configuration` with the path and the setting. */
export function ensureFolder(folder: string, setting: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw configurationError(`The folder ${folder} cannot be created. Set ${setting} to a writable folder.`, {
      cause: error,
    });
  }
}

// Containers with an unknown user have "/" as the home folder, which is not a place for files.
function xdg(environment: Environment, variable: string, fallback: string): string | undefined {
  const set = environment[variable];
  if (set !== undefined && isAbsolute(set)) return set;
  const home = environment["HOME"];
  return home !== undefined && isAbsolute(home) && home !== "/" ? join(home, fallback) : undefined;
}
