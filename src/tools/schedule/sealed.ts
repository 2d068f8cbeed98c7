// Opens the input of a run and seals its output. A damaged data key ends a run, and is not an error of the worker.
import type { Core } from "../../core";
import type { Ended } from "./outcome";
import { inputPlace, type ListedRun, outputPlace, type RunRow } from "./repository";

/** Undefined if the input cannot be decrypted. */
export function openInput(core: Core, { id, project_id, sealed_input }: RunRow): Promise<string | undefined> {
  const input = core.keyring.open(project_id, inputPlace(id), sealed_input);
  return unlessDamaged(core, input, "scheduled run not opened", id);
}

/** Null without an output; undefined if it cannot be encrypted. */
export async function sealOutput(
  core: Core,
  run: ListedRun,
  attemptId: string,
  { output }: Ended,
): Promise<string | null | undefined> {
  if (output === undefined) return null;
  const sealed = core.keyring.seal(run.project_id, outputPlace(attemptId), JSON.stringify(output));
  return unlessDamaged(core, sealed, "output of a scheduled run not sealed", run.id);
}

function unlessDamaged(
  { log }: Core,
  value: Promise<string>,
  message: string,
  id: string,
): Promise<string | undefined> {
  return value.catch((error: unknown) => {
    log.error(message, { id, error });
    return undefined;
  });
}
