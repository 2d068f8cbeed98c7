// A run between the rules that stand before it and those that stand behind it.
import { signalOf } from "../base";
import { InputNeeded } from "./caller";
import { convertInput, type Input } from "./input";
import type { Guard, GuardedCall, PolicyDecision } from "./policy";
import type { Readiness, Ready } from "./readiness";
import type { CalledBy, Logs, Runner, RunOutcome } from "./run";
import { ToolError } from "./tool-error";

export interface Parts {
  guard: Guard;
  runner: Runner;
  readiness: Readiness;
}

export interface PlainRun {
  ready: Ready;
  /** Converted and checked. */
  inputs: Input;
  logs: Logs;
  by: CalledBy;
}

export interface GuardedRun extends PlainRun {
  executionId: string;
  decisions: PolicyDecision[];
}

/**
 * As `Runner.run`, and what the rules make of it. For inputs that a rule has changed it throws a `ToolError` when they are
 * not valid, and what `Readiness` throws.
 */
export async function runGuarded({ guard, runner, readiness }: Parts, run: GuardedRun): Promise<RunOutcome> {
  const { executionId, decisions, by, logs, inputs } = run;
  let { ready } = run;
  const { tool, userId, projectId, authorization, grant } = ready;
  const call: GuardedCall = {
    executionId,
    userId,
    tool,
    authorization,
    grant,
    inputs,
    decisions,
    signal: signalOf(by.signal),
  };
  const changes = await guard.before(call);
  if (changes instanceof ToolError) return { error: changes };
  if (changes.inputs !== undefined) {
    call.inputs = convertInput(tool.definition, changes.inputs);
    // Other inputs may need what the first did not.
    const changed = await readiness.of(projectId, userId, tool, changes.inputs);
    if (changed instanceof ToolError) return { error: changed };
    ready = changed;
  }
  if (changes.secrets !== undefined) ready.secrets = withReplaced(ready.secrets, changes.secrets);
  // A copy: a post hook is shown the inputs of the call, whatever the tool does with its own.
  const outcome = await runner.run(ready, { ...call.inputs }, logs, by);
  // Not over yet: the run that gets the answers is asked about again.
  if ("error" in outcome && outcome.error instanceof InputNeeded) return outcome;
  const judged = await guard.after(call, outcome);
  // The address of a new consent belongs to the failure that asks for it.
  return "error" in outcome && "error" in judged && judged.error === outcome.error ? outcome : judged;
}

/** Only what the tool has declared: a rule gives it nothing that it does not know. */
function withReplaced(secrets: Ready["secrets"], replaced: Ready["secrets"]): Ready["secrets"] {
  const known = Object.entries(replaced).filter(([key]) => Object.hasOwn(secrets, key));
  return { ...secrets, ...Object.fromEntries(known) };
}
