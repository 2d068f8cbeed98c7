// What a tool says about its effects. It is said from outside, so it counts only for a worker that is trusted.
import { isObject, type JsonObject } from "../../base";
import type { ToolMetadata } from "../../tools";
import type { LoadedWorker, WorkerTool } from "../tool";

const CAUTIOUS: ToolMetadata["behavior"] = {
  operations: [],
  read_only: false,
  destructive: true,
  idempotent: false,
  open_world: true,
};

/** The metadata of a tool about which nothing is believed. */
export const CAUTIOUS_METADATA: ToolMetadata = { behavior: CAUTIOUS };

type Behavior = ToolMetadata["behavior"];

/** What the annotations say; hints that are not booleans are absent. */
function hinted({ original }: WorkerTool): Behavior {
  const annotations = original?.["annotations"];
  const hints: JsonObject = isObject(annotations) ? (annotations as JsonObject) : {};
  const flag = (name: string, otherwise: boolean): boolean => {
    const value = hints[name];
    return typeof value === "boolean" ? value : otherwise;
  };
  const read_only = flag("readOnlyHint", false);
  return {
    operations: read_only ? ["read"] : [],
    read_only,
    destructive: !read_only && flag("destructiveHint", true),
    idempotent: read_only || flag("idempotentHint", false),
    open_world: flag("openWorldHint", true),
  };
}

/** The tool with the behaviour that it claims, if the record says that its worker is trusted. */
export function withTrust(worker: Pick<LoadedWorker, "trustAnnotations">, tool: WorkerTool): WorkerTool {
  if (!worker.trustAnnotations || tool.reserved !== undefined) return tool;
  return { ...tool, metadata: { ...tool.metadata, behavior: hinted(tool) } };
}

/** Whether a call that may have run may be sent again. */
export function mayRepeat(worker: LoadedWorker, tool: WorkerTool): boolean {
  const { read_only, idempotent } = withTrust(worker, tool).metadata.behavior;
  return read_only || idempotent;
}
