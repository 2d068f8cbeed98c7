// What the caller of a run learns besides its output: the question of a tool, and the answer of an MCP server as it came.
import { type Caller, InputNeeded } from "./caller";
import type { PolicyDecision } from "./policy";
import type { RunOutcome } from "./run";

export function tellCaller(
  caller: Caller | undefined,
  outcome: RunOutcome,
  decisions: readonly PolicyDecision[],
): void {
  if (caller === undefined) return;
  if ("error" in outcome && outcome.error instanceof InputNeeded) caller.asks(outcome.error);
  // Hooks have judged the value, and not what else an MCP server has answered.
  if (decisions.some(({ point }) => point === "tool.post")) return;
  const answered = "error" in outcome ? outcome.error.details.answered : outcome.answered;
  if (answered !== undefined) caller.answered?.(answered);
}
