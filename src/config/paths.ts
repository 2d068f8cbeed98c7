// Folders by the XDG base directory specification. Nothing is made here: `ensureFolder` makes a folder when it is used.
import { mkdirSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { configurationError } from "../errors";

export type Environment = { readonly [name: string]: string | undefined };

/** `$XDG_CONFIG_HOME/runtime/runtime.yaml`, or undefined when there is no home folder to put it in. */
export function defaultConfigFile(environment: Environment): string | undefined {
  const folder = xdg(environment, "XDG_CONFIG_HOME", ".config");
  return folder === undefined ? undefined : join(folder, "runtime", "runtime.yaml");
}

/** `$XDG_DATA_HOME/runtime`, or undefined. */
export function defaultDataFolder(environment: Environment): string | undefined {
  const folder = xdg(environment, "XDG_DATA_HOME", ".local/share");
  return folder === undefined ? undefined : join(folder, "runtime");
}

/** A path from a person, made absolute; `~` is the home folder. Throws `configuration` when there is none. */
export function absolute(path: string, environment: Environment): string {
  if (path !== "~" && !path.startsWith("~/")) return resolve(path);
  const home = environment["HOME"];
  if (home !== undefined && isAbsolute(home)) return resolve(join(home, path.slice(1)));
  throw configurationError(`${path}: there is no home folder for ~. Set HOME, or give the whole path.`);
}

/** Makes the folder (0700) when it is not there. Throws `configuration` with the path and what to set. */
export function ensureFolder(folder: string, setting: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw configurationError(
      `The folder ${folder} cannot be made. Set ${setting} to a folder that can be written.`,
      {
        cause: error,
      },
    );
  }
}

// A home of "/" is what containers with an unknown user have: nobody wants files there.
function xdg(environment: Environment, variable: string, fallback: string): string | undefined {
  const set = environment[variable];
  if (set !== undefined && isAbsolute(set)) return set;
  const home = environment["HOME"];
  return home !== undefined && isAbsolute(home) && home !== "/" ? join(home, fallback) : undefined;
}
