// A secret in a file that other users of the machine can read is not a secret.
import { statSync } from "node:fs";

/**
 * Anything for all other users, and writing for the group. Reading is allowed to the group, because orchestrators mount
 * secrets with it.
 */
const REFUSED = 0o027;

/** The mode, such as `0644`, of a file that other users can read or replace; undefined for others and if there is no file. */
export function exposedMode(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  // An empty file has nothing that could be read.
  if (found === undefined || !found.isFile() || found.size === 0 || (found.mode & REFUSED) === 0)
    return undefined;
  return (found.mode & 0o777).toString(8).padStart(4, "0");
}
