// The tool of a scheduled run.
import type { Registry, Tool } from "../registry";
import type { ListedRun } from "./repository";

/** Undefined if this server no longer has the tool. */
export async function toolOf(
  registryOf: (projectId: string) => Promise<Registry>,
  run: ListedRun,
): Promise<Tool | undefined> {
  const registry = await registryOf(run.project_id);
  return registry.peek(`${run.toolkit_name}.${run.tool_name}`, run.asked_version ?? undefined);
}
