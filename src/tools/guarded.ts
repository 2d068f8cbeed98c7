// A run between the rules that stand before it and those that stand behind it.
import { signalOf } from "../base";
import { InputNeeded } from "./caller";
import { convertInput } from "./input";
import type { Guard, GuardedCall, PolicyDecision } from "./policy";
import type { Readiness, Ready } from "./readiness";
import type { CalledBy, Logs, Runner, RunOutcome } from "./run";
import { ToolError } from "./tool-error";

type Input = { [key: string]: unknown };

export interface Parts {
  guard: Guard;
  runner: Runner;
  readiness: Readiness;
}

export interface PlainRun {
  ready: Ready;
  given: Input;
  logs: Logs;
  by: CalledBy;
}

export interface GuardedRun extends PlainRun {
  executionId: string;
  decisions: PolicyDecision[];
}

/** As `Runner.run`, and what the rules make of it. Throws what `Readiness` throws for inputs that a rule has changed. */
export async function runGuarded(parts: Parts, run: GuardedRun): Promise<RunOutcome> {
  try {
    return await guarded(parts, run);
  } catch (error) {
    if (error instanceof ToolError) return { error };
    throw error;
  }
}

async function guarded({ guard, runner, readiness }: Parts, run: GuardedRun): Promise<RunOutcome> {
  const { executionId, decisions, by, logs } = run;
  let { ready, given } = run;
  const { tool, userId, projectId, authorization, grant } = ready;
  // Input that is refused asks no rule: there is no call.
  const inputs = convertInput(tool.definition, given);
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
    given = changes.inputs;
    call.inputs = convertInput(tool.definition, given);
    // Other inputs may need what the first did not.
    const anew = await readiness.of(projectId, userId, tool, given);
    if (anew instanceof ToolError) return { error: anew };
    ready = anew;
  }
  if (changes.secrets !== undefined) ready.secrets = withReplaced(ready.secrets, changes.secrets);
  const outcome = await runner.run(ready, given, logs, by);
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
