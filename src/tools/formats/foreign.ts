// Schemas of tools of workers in a form that vendors of models take. They refuse a whole request because of one schema, so
// what some of them do not know is left out here; the tool still checks it.
import { isObject } from "../../base";
import { parameterNames } from "./parameter-names";
import { type JsonSchema, selfContained } from "./self-contained";

const PARTS = ["allOf", "anyOf", "oneOf"];
/** Their parts must all be valid, so what they require is required. */
const MUST = "allOf";
const DEEPEST = 5;

/** UTF-16 code units: some models take no longer description of a function. */
const LONGEST_DESCRIPTION = 1024;

/**
 * The parameters as one object with simple names, without alternatives at the root: their parameters are optional.
 */
export function foreignParameters(input: object): JsonSchema {
  const schema = selfContained(input);
  const properties = membersOf(schema, 0);
  const names = parameterNames(Object.keys(properties));
  const required = requiredIn(schema, 0).filter((name) => Object.hasOwn(properties, name));
  const { additionalProperties } = schema;
  return {
    type: "object",
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [names.get(name) ?? name, plain(property)]),
    ),
    required: [...new Set(required)].map((name) => names.get(name) ?? name),
    ...(additionalProperties === undefined
      ? {}
      : { additionalProperties: plainOrBoolean(additionalProperties) }),
  };
}

/** Cut for models that refuse longer ones. */
export function shortDescription(description: string): string {
  if (description.length <= LONGEST_DESCRIPTION) return description;
  return `${description.slice(0, LONGEST_DESCRIPTION - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

function partsOf(schema: JsonSchema, keywords: readonly string[]): JsonSchema[] {
  return keywords.flatMap((keyword) => schema[keyword] ?? []).filter(isObject);
}

function membersOf(schema: JsonSchema, depth: number): JsonSchema {
  const { properties } = schema;
  const parts = depth > DEEPEST ? [] : partsOf(schema, PARTS);
  // Its own ones win. `fromEntries` keeps `__proto__` as a name.
  const members = parts.flatMap((part) => Object.entries(membersOf(part, depth + 1)));
  return Object.fromEntries([...members, ...(isObject(properties) ? Object.entries(properties) : [])]);
}

function requiredIn(schema: JsonSchema, depth: number): string[] {
  const { required } = schema;
  const parts = depth > DEEPEST ? [] : partsOf(schema, [MUST]);
  return [
    ...(Array.isArray(required) ? required.map(String) : []),
    ...parts.flatMap((part) => requiredIn(part, depth + 1)),
  ];
}

function plainOrBoolean(schema: unknown): unknown {
  return typeof schema === "boolean" ? schema : plain(schema);
}

/** Without booleans in the place of schemas, and with items for every list. */
function plain(schema: unknown): unknown {
  if (typeof schema === "boolean") return schema ? {} : { not: {} };
  if (!isObject(schema)) return {};
  const entries = Object.entries(schema).map(([keyword, value]): [string, unknown] => {
    if (keyword === "properties" && isObject(value))
      return [keyword, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, plain(one)]))];
    if (keyword === "items") return [keyword, plainOrBoolean(value)];
    if (keyword === "additionalProperties") return [keyword, plainOrBoolean(value)];
    if ([...PARTS, "prefixItems"].includes(keyword) && Array.isArray(value))
      return [keyword, value.map(plain)];
    return [keyword, value];
  });
  const copy: JsonSchema = Object.fromEntries(entries);
  const isList = [copy["type"]].flat().includes("array");
  return isList && !isObject(copy["items"]) && copy["items"] !== false ? { ...copy, items: {} } : copy;
}
