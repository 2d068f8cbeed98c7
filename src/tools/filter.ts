// The metadata filter of tool listings: JSON text. All given conditions must be met.
import { isObject, type JsonObject } from "../base";
import { invalidParameter } from "../errors";
import type { ToolMetadata } from "./definition";
import type { Tool } from "./registry";
import type { ToolsFilter } from "./schema";

type Condition = (metadata: ToolMetadata) => boolean;

const FLAGS = ["read_only", "destructive", "idempotent", "open_world"] as const;

/** Parses a filter. Throws `invalid_parameter` on bad JSON, an unknown key or a wrong type. */
export function parseFilter(text: string): Condition {
  const filter = parse(text);
  const conditions = Object.entries(filter).map(([key, value]) => conditionOf(key, value));
  return (metadata) => conditions.every((condition) => condition(metadata));
}

function parse(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    // The value was parsed from JSON.
    if (isObject(value)) return value as JsonObject;
  } catch {
    throw invalidParameter("filter is not valid JSON.");
  }
  throw invalidParameter("filter must be a JSON object.");
}

function conditionOf(key: string, value: unknown): Condition {
  if (key === "service_domains") return listCondition(key, value, (it) => it.classification?.service_domains);
  if (key === "operations") return listCondition(key, value, (it) => it.behavior.operations);
  if (key === "extras") return extrasCondition(value);
  const flag = FLAGS.find((name) => name === key);
  if (flag === undefined) throw invalidParameter(`filter has the unknown key "${key.slice(0, 50)}".`);
  if (typeof value !== "boolean") throw invalidParameter(`filter: ${flag} must be true or false.`);
  return (metadata) => metadata.behavior[flag] === value;
}

function listCondition(
  key: string,
  value: unknown,
  of: (it: ToolMetadata) => string[] | undefined,
): Condition {
  const parts = Array.isArray(value) ? { any_of: value } : value;
  if (!isObject(parts)) throw invalidParameter(`filter: ${key} must be a list or an object of lists.`);
  const unknown = Object.keys(parts).find((name) => !["any_of", "all_of", "none_of"].includes(name));
  if (unknown !== undefined)
    throw invalidParameter(`filter: ${key} accepts only any_of, all_of and none_of.`);
  const anyOf = texts(key, parts["any_of"]);
  const allOf = texts(key, parts["all_of"]);
  const noneOf = texts(key, parts["none_of"]);
  return (metadata) => {
    const has = (of(metadata) ?? []).map((item) => item.toLowerCase());
    return (
      (anyOf === undefined || anyOf.some((item) => has.includes(item))) &&
      (allOf === undefined || allOf.every((item) => has.includes(item))) &&
      (noneOf === undefined || !noneOf.some((item) => has.includes(item)))
    );
  };
}

function texts(key: string, value: unknown): string[] | undefined {
  if (value === undefined) return undefined;
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) {
    return value.map((item) => item.toLowerCase());
  }
  throw invalidParameter(`filter: ${key} must contain lists of texts.`);
}

function extrasCondition(value: unknown): Condition {
  if (!isObject(value)) throw invalidParameter("filter: extras must be an object.");
  const wanted = Object.entries(value);
  return ({ extras = {} }) =>
    wanted.every(([key, item]) => Object.hasOwn(extras, key) && Bun.deepEquals(extras[key], item, true));
}

/** Tools of a toolkit (in any case) whose metadata matches. Throws `invalid_parameter` for a bad filter. */
export function matching(
  tools: readonly Tool[],
  { filter, toolkit }: Pick<ToolsFilter, "filter" | "toolkit">,
): readonly Tool[] {
  const matches = filter === undefined ? undefined : parseFilter(filter);
  const wanted = toolkit?.toLowerCase();
  return tools.filter(
    ({ catalog, definition }) =>
      (wanted === undefined || catalog.toolkit.name.toLowerCase() === wanted) &&
      (matches === undefined || matches(definition.metadata)),
  );
}
