// A root key that other users of the machine can read protects nothing from them.
import { exposedMode, shellWord } from "../base";
import { configurationError } from "../errors";

/** What is wrong with the permissions of a key file, and what to do; undefined if nothing is, or there is no file. */
export function keyModeFault(file: string): { message: string; fix: string } | undefined {
  // Readable for the group is allowed; `runtime doctor` warns.
  const mode = exposedMode(file);
  if (mode === undefined) return undefined;
  return {
    message: `Other users can read or replace the root key file ${file} (mode ${mode}).`,
    fix: `Run: chmod 600 ${shellWord(file)}`,
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
