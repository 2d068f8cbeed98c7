// A root key that other users of the machine can read protects nothing from them.
import { statSync } from "node:fs";
import { configurationError } from "../errors";

/**
 * Anything for all other users, and writing for the group. Reading is allowed to the group, because orchestrators mount
 * secrets with it; `runtime doctor` warns.
 */
const REFUSED = 0o027;

/** What is wrong with the permissions of a key file, and what to do; undefined if nothing is, or there is no file. */
export function keyModeFault(file: string): { message: string; fix: string } | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  // An empty file has no key that could be read.
  if (found === undefined || !found.isFile() || found.size === 0 || (found.mode & REFUSED) === 0)
    return undefined;
  const mode = (found.mode & 0o777).toString(8).padStart(4, "0");
  return {
    message: `Other users can read or replace the root key file ${file} (mode ${mode}).`,
    fix: `Run: chmod 600 ${file}`,
  };
}

/** Throws `configuration` for a key file that other users can read or replace. */
export function refuseExposedKey(file: string | undefined): void {
  const fault = file === undefined ? undefined : keyModeFault(file);
  if (fault !== undefined)
    throw configurationError(
      `${fault.message} ${fault.fix}, and start again. If somebody may have read it, rotate it then.`,
    );
}
