// The tool of a scheduled run.
import type { Registry, Tool } from "../registry";
import type { ListedRun } from "./repository";

/** Undefined if this server no longer has the tool. */
export function toolOf(registry: Registry, run: ListedRun): Tool | undefined {
  try {
    return registry.find(`${run.toolkit_name}.${run.tool_name}`, run.asked_version ?? undefined);
  } catch {
    return undefined;
  }
}
