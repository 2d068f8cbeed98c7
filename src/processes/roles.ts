// Entry points of the processes that the host starts from the executable.
import { launch } from "./launcher";
import { ownExecutable } from "./own-executable";
import { supervise } from "./supervisor";
import { watchOver } from "./watchdog";

/** The exit code of wrong usage. */
const UNKNOWN = 2;

/** Runs one of the hidden commands of the executable until its work is done. */
export async function runRole(role: string, word: string | undefined): Promise<number> {
  if (role === "process-launcher") return launch(word);
  if (role === "process-supervisor") await supervise(ownExecutable());
  else if (role === "process-watchdog") await watchOver(ownExecutable());
  else return UNKNOWN;
  return 0;
}
