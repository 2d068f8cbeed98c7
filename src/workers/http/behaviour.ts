// What a tool says about its effects. A tool that does not say is treated with caution: it may change and destroy.
import { isObject, type JsonObject } from "../../base";
import type { ToolMetadata } from "../../tools";
import { texts } from "./value-schema";

const OPERATIONS = ["read", "create", "update", "delete", "opaque"] as const;
/** Characters of `extras` as JSON. */
const MOST_EXTRAS = 16_384;
const MOST_DOMAINS = 20;

export function metadataFrom(given: unknown): ToolMetadata {
  const { classification, behavior, extras } = isObject(given) ? given : {};
  const domains = texts(isObject(classification) ? classification["service_domains"] : undefined);
  return {
    ...(domains.length === 0 ? {} : { classification: { service_domains: domains.slice(0, MOST_DOMAINS) } }),
    behavior: behaviourFrom(isObject(behavior) ? behavior : {}),
    ...(isObject(extras) && JSON.stringify(extras).length <= MOST_EXTRAS ? { extras: asJson(extras) } : {}),
  };
}

function behaviourFrom(given: { [key: string]: unknown }): ToolMetadata["behavior"] {
  const operations = texts(given["operations"]);
  const isReadOnly = given["read_only"] === true;
  return {
    operations: OPERATIONS.filter((operation) => operations.includes(operation)),
    read_only: isReadOnly,
    destructive: flag(given["destructive"] ?? !isReadOnly, true),
    idempotent: flag(given["idempotent"], false),
    open_world: flag(given["open_world"], true),
  };
}

function flag(value: unknown, otherwise: boolean): boolean {
  return typeof value === "boolean" ? value : otherwise;
}

/** It was parsed from JSON. */
function asJson(value: { [key: string]: unknown }): JsonObject {
  return value as JsonObject;
}
