// Finds the program of a command, as a shell would, and says what is wrong before anything is started.
import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { ProcessRefused } from "./spec";
import { isWithin } from "./within";

export const USUAL_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** The folders that the program may run from, or undefined if it may run from all. */
export type Runnable = readonly string[] | undefined;

/** The absolute path of the program. Throws `ProcessRefused`. */
export function findProgram(command: string, path: string, runnable: Runnable): string {
  if (command.includes("/")) return namedByPath(command, runnable);
  const folders = path.split(":").filter((folder) => folder.startsWith("/"));
  const found = folders.map((folder) => join(folder, command)).filter(isProgram);
  const usable = found.find((file) => mayRun(file, runnable));
  if (usable !== undefined) return usable;
  const outside = found[0];
  if (outside !== undefined) throw new ProcessRefused(outsideMessage(outside));
  throw new ProcessRefused(
    `The program "${command}" was not found in ${folders.join(", ")}. Install it, or give its absolute path.`,
  );
}

function namedByPath(command: string, runnable: Runnable): string {
  if (!command.startsWith("/"))
    throw new ProcessRefused(`"${command}" is a relative path. Give the absolute path of the program.`);
  if (!exists(command)) throw new ProcessRefused(`The program ${command} does not exist.`);
  if (!isProgram(command))
    throw new ProcessRefused(`${command} is not a file that can be executed. Check the path and the mode.`);
  if (!mayRun(command, runnable)) throw new ProcessRefused(outsideMessage(command));
  return command;
}

function outsideMessage(file: string): string {
  const real = realpathSync(file);
  const shown = real === file ? file : `${file} (${real})`;
  return `The program ${shown} is outside of what a caged program may read. Add its folder to the paths that it may read.`;
}

function exists(file: string): boolean {
  try {
    statSync(file);
    return true;
  } catch {
    return false;
  }
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** Whether a file or folder that exists is one that the program may run, or run from. */
export function mayRun(file: string, runnable: Runnable): boolean {
  if (runnable === undefined) return true;
  try {
    const real = realpathSync(file);
    return runnable.some((folder) => isWithin(real, folder));
  } catch {
    return false;
  }
}
