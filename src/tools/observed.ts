// A run of a tool as metrics and traces see it.
import type { Core } from "../core";
import { RuntimeError } from "../errors";
import type { Principal } from "../identity";
import type { Entry } from "../telemetry";
import type { Tool } from "./registry";
import type { Execution, ExecuteTool } from "./schema";

export interface ObservedRun {
  principal: Principal;
  tool: Tool;
  request: Pick<ExecuteTool, "input">;
  entry: Entry;
  callId: string | undefined;
}

/** Runs `work`. A refusal, which throws, ends the activity with another outcome than a defect. */
export function observed(
  { telemetry }: Pick<Core, "telemetry">,
  { principal, tool, request, entry, callId }: ObservedRun,
  executionId: string,
  work: () => Promise<Execution>,
): Promise<Execution> {
  const { catalog, definition } = tool;
  const start = {
    toolkit: catalog.toolkit.name,
    tool: definition.name,
    entry,
    project: principal.projectId,
    executionId,
    callId,
  };
  return telemetry.observe("tool", start, async (activity) => {
    try {
      const execution = await work();
      activity.content(() => ({ arguments: request.input ?? {}, result: execution.output?.value }));
      activity.end({ outcome: execution.output?.error?.kind ?? "completed" });
      return execution;
    } catch (error) {
      if (error instanceof RuntimeError) activity.end({ outcome: "refused" });
      throw error;
    }
  });
}
