// Inlines references: replaces every `$ref` by its target, so that a request needs no definitions.
import { isObject } from "../../base";

export type JsonSchema = { [key: string]: unknown };

/** How often a recursive schema is inlined on one path; below that any value is allowed. */
const MAX_REPEATS = 2;
/** Total number of schemas. Records that contain each other several times grow exponentially. */
const MAX_SCHEMAS = 2000;
/** Of texts and values, roughly: a long one may be inlined many times. */
const MAX_CHARACTERS = 400_000;

const SCHEMA = [
  "items",
  "additionalProperties",
  "unevaluatedProperties",
  "unevaluatedItems",
  "propertyNames",
  "not",
  "contains",
  "if",
  "then",
  "else",
];
const SCHEMAS = ["anyOf", "oneOf", "allOf", "prefixItems"];
const MAPS = ["properties", "patternProperties", "dependentSchemas"];
/** Names and locations of schemas, without meaning in a copy. */
const PLACES = ["$defs", "definitions", "$id", "$anchor", "$schema", "$dynamicAnchor", "$comment"];

interface Walk {
  /** Schemas in which references are looked up, nearest first. */
  scopes: readonly JsonSchema[];
  /** Targets that are being inlined. */
  path: readonly unknown[];
  budget: { schemas: number; characters: number };
}

/** A copy without references and definitions. Does not change the schema. */
export function selfContained(schema: unknown): JsonSchema {
  const shown = copied(schema, {
    scopes: [],
    path: [],
    budget: { schemas: MAX_SCHEMAS, characters: MAX_CHARACTERS },
  });
  return isObject(shown) ? shown : {};
}

function copied(schema: unknown, walk: Walk): unknown {
  if (!isObject(schema)) return schema;
  if (--walk.budget.schemas < 0 || walk.budget.characters < 0) return open(schema);
  const here = isScope(schema, walk) ? { ...walk, scopes: [schema, ...walk.scopes] } : walk;
  const { $ref: reference, ...rest } = schema;
  if (typeof reference !== "string") return parts(schema, here);
  const target = targetOf(reference, here.scopes);
  const repeats = here.path.filter((one) => one === target).length;
  const own = parts(rest, here);
  if (target === undefined) return own;
  if (repeats >= MAX_REPEATS) return { ...open(target), ...own };
  const inlined = copied(target, { ...here, path: [...here.path, target] });
  // Keywords next to a reference apply as well and take precedence.
  return isObject(inlined) ? { ...inlined, ...own } : own;
}

function parts(schema: JsonSchema, walk: Walk): JsonSchema {
  const shown: JsonSchema = {};
  for (const [key, value] of Object.entries(schema)) {
    if (PLACES.includes(key)) continue;
    if (SCHEMA.includes(key)) shown[key] = copied(value, walk);
    else if (SCHEMAS.includes(key) && Array.isArray(value)) {
      shown[key] = value.map((one: unknown) => copied(one, walk));
    } else if (MAPS.includes(key) && isObject(value)) {
      shown[key] = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, copied(one, walk)]));
    } else {
      walk.budget.characters -= JSON.stringify(value)?.length ?? 0;
      shown[key] = structuredClone(value);
    }
  }
  return shown;
}

function isScope(schema: JsonSchema, { scopes }: Walk): boolean {
  return scopes.length === 0 || schema["$defs"] !== undefined || schema["$id"] !== undefined;
}

// `#`, a pointer (`#/$defs/Node`), an `$id`, or the bare name of a definition.
function targetOf(reference: string, scopes: readonly JsonSchema[]): unknown {
  const root = scopes.at(-1);
  if (reference === "#") return root;
  for (const scope of scopes) {
    const found = reference.startsWith("#/") ? pointed(scope, reference.slice(2)) : named(scope, reference);
    if (found !== undefined) return found;
  }
  return undefined;
}

function pointed(scope: JsonSchema, pointer: string): unknown {
  return pointer.split("/").reduce<unknown>((inner, step) => {
    const key = decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(inner)) return inner[Number(key)];
    return isObject(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined;
  }, scope);
}

function named(scope: JsonSchema, name: string): unknown {
  if (scope["$id"] === name) return scope;
  for (const place of ["$defs", "definitions"]) {
    const definitions = scope[place];
    if (!isObject(definitions)) continue;
    const own = Object.hasOwn(definitions, name) ? definitions[name] : undefined;
    const byId = Object.values(definitions).find((one) => isObject(one) && one["$id"] === name);
    if (own !== undefined || byId !== undefined) return own ?? byId;
  }
  return undefined;
}

// Any value of the same type.
function open(schema: unknown): JsonSchema {
  const type = isObject(schema) ? schema["type"] : undefined;
  return type === undefined ? {} : { type };
}
