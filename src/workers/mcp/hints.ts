// What a tool says about its effects. It is said from outside, so it counts only for a worker that is trusted.
import { isObject, type JsonObject } from "../../base";
import type { ToolMetadata } from "../../tools";
import { metadataFrom } from "../http/behaviour";
import type { LoadedWorker, WorkerTool } from "../tool";

const CAUTIOUS: ToolMetadata["behavior"] = {
  operations: [],
  read_only: false,
  destructive: true,
  idempotent: false,
  open_world: true,
};

/** Where servers of one ecosystem say more of a tool. */
const FAMILY = "arcade";

/** What `_meta` says of a tool, beyond the protocol: what it is about, and its effects. */
function ownWords(meta: unknown): { [key: string]: unknown } {
  const family = isObject(meta) ? meta[FAMILY] : undefined;
  return isObject(family) ? family : {};
}

/** The metadata of a tool of a server that is not trusted: only what it is about. */
export function plainMetadata(meta: unknown): ToolMetadata {
  const { classification, extras } = metadataFrom(ownWords(meta)["metadata"]);
  return {
    ...(classification === undefined ? {} : { classification }),
    behavior: CAUTIOUS,
    ...(extras === undefined ? {} : { extras }),
  };
}

/**
 * What a tool says that it needs from its caller. A server that is reached over MCP gets neither tokens of other platforms nor
 * secrets: the protocol has no place for them.
 */
export function unmetNeeds(meta: unknown): string[] {
  const { requirements } = ownWords(meta);
  const { authorization, secrets } = isObject(requirements) ? requirements : {};
  const isNone = (need: unknown): boolean =>
    need === undefined || need === null || (Array.isArray(need) && need.length === 0);
  return [
    ...(isNone(authorization) ? [] : ["a token of the user at another platform"]),
    ...(isNone(secrets) ? [] : ["secrets"]),
  ];
}

type Behavior = ToolMetadata["behavior"];

/** What `_meta` says of its effects, or else the annotations; hints that are not booleans are absent. */
function hinted({ original }: WorkerTool): Behavior {
  const { metadata } = ownWords(original?.["_meta"]);
  if (isObject(metadata) && isObject(metadata["behavior"])) return metadataFrom(metadata).behavior;
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
export function withTrust(
  worker: Pick<LoadedWorker, "type" | "trustAnnotations">,
  tool: WorkerTool,
): WorkerTool {
  const isTrusted = worker.type === "mcp" && worker.trustAnnotations;
  if (!isTrusted || tool.reserved !== undefined) return tool;
  return { ...tool, metadata: { ...tool.metadata, behavior: hinted(tool) } };
}

/** Whether a call that may have run may be sent again. */
export function mayRepeat(worker: LoadedWorker, tool: WorkerTool): boolean {
  const { read_only, idempotent } = withTrust(worker, tool).metadata.behavior;
  return read_only || idempotent;
}
