// Runs a tool with the hooks before and after it.
import { signalOf } from "../base";
import { InputNeeded } from "./caller";
import { checkInput } from "./input";
import type { Guard, GuardedCall, PolicyDecision } from "./policy";
import type { Readiness, Ready } from "./readiness";
import type { PlannedRun, Runner, RunOutcome } from "./run";
import { ToolError } from "./tool-error";

export interface Parts {
  guard: Guard;
  runner: Runner;
  readiness: Readiness;
}

export interface GuardedRun extends PlannedRun {
  decisions: PolicyDecision[];
}

/**
 * Like `Runner.run`, with the changes of hooks. For inputs that a hook has changed it throws a `ToolError` if they are not
 * valid, and what `Readiness` throws.
 */
export async function runGuarded({ guard, runner, readiness }: Parts, run: GuardedRun): Promise<RunOutcome> {
  const { ids, decisions, by, logs, inputs } = run;
  let { ready } = run;
  const { tool, userId, projectId, authorization, grant } = ready;
  const call: GuardedCall = {
    executionId: ids.executionId,
    userId,
    tool,
    authorization,
    grant,
    inputs,
    decisions,
    signal: signalOf(by.signal),
  };
  await by.fence?.();
  const changes = await guard.before(call);
  if (changes instanceof ToolError) return { error: changes };
  if (changes.inputs !== undefined) {
    call.inputs = await checkInput(tool.definition, changes.inputs);
    // Changed inputs may have other requirements.
    const changed = await readiness.of(projectId, userId, tool, changes.inputs);
    if (changed instanceof ToolError) return { error: changed };
    ready = { ...changed, incarnation: ready.incarnation, actor: ready.actor };
  }
  if (changes.secrets !== undefined) ready.secrets = withReplaced(ready.secrets, changes.secrets);
  // A copy, so that post hooks get the inputs of the call even if the tool changes its own.
  const outcome = await runner.run({ ready, ids, inputs: { ...call.inputs }, logs, by });
  // The call is not finished: hooks run after the run that gets the answers.
  if ("error" in outcome && outcome.error instanceof InputNeeded) return outcome;
  const judged = await guard.after(call, outcome);
  // Keeps the address of a new consent with the failure that requires it.
  return "error" in outcome && "error" in judged && judged.error === outcome.error ? outcome : judged;
}

/** Replaces only secrets that the tool has declared. `replaced`: by their names in lower case. */
function withReplaced(secrets: Ready["secrets"], replaced: Ready["secrets"]): Ready["secrets"] {
  const values = Object.entries(secrets).map(([name, value]) => {
    const folded = name.toLowerCase();
    return [name, Object.hasOwn(replaced, folded) ? (replaced[folded] ?? value) : value] as const;
  });
  return Object.fromEntries(values);
}
