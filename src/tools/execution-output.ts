// The output of a run: its value or its error, and what was logged for the caller.
import { deprecationOf } from "./document";
import { toolErrorRecord } from "./failure";
import type { Tool } from "./registry";
import type { Logs, RunOutcome } from "./run";
import type { ExecutionOutput } from "./schema";

export function firstLogs({ definition }: Tool): Logs {
  const message = deprecationOf(definition);
  return message === undefined ? [] : [{ level: "warning", subtype: "deprecation", message }];
}

export function outputOf(outcome: RunOutcome, tool: Tool, logs: Logs, withStack: boolean): ExecutionOutput {
  const shown = logs.length === 0 ? undefined : { logs };
  if (!("error" in outcome))
    return shown === undefined ? { value: outcome.value } : { value: outcome.value, ...shown };
  return {
    error: toolErrorRecord(outcome.error, tool, withStack),
    ...(outcome.authorization === undefined ? {} : { authorization: outcome.authorization }),
    ...shown,
  };
}
