// `_meta` of what MCP servers send: passed on, except keys of one connection and keys that this server sets.
import { isObject, type JsonObject } from "../../base";
import { CAPABILITIES_KEY, metaKey, SERVER_KEY, VERSION_KEY } from "../versions";

const KEPT_BACK: ReadonlySet<string> = new Set([
  "progressToken",
  VERSION_KEY,
  CAPABILITIES_KEY,
  SERVER_KEY,
  ...["clientInfo", "subscriptionId", "logLevel", "related-task"].map(metaKey),
]);

/** What clients of a gateway get of it; undefined if that is nothing. */
export function passedMeta(meta: unknown): JsonObject | undefined {
  if (!isObject(meta)) return undefined;
  const members = Object.entries(meta).filter(([key]) => !KEPT_BACK.has(key));
  // Every part of a JSON value is JSON.
  return members.length === 0 ? undefined : (Object.fromEntries(members) as JsonObject);
}
