// Of which types a value may be, as far as a schema says so.
import { isObject } from "../base";
import { TYPES } from "./keywords";
import { referred } from "./pointer";
import type { Node } from "./references";

const DEEPEST = 64;

/** Of which types a value may be that has one of several schemas. Undefined: of any type. */
export function typesIn(root: object, schemas: readonly unknown[]): ReadonlySet<unknown> | undefined {
  if (schemas.length === 0) return undefined;
  return oneOfThese(schemas.map((schema) => typesOf(root as Node, schema)));
}

/** Undefined: of any type. References of the schema lead into `root`. `visit` is called for each schema that is looked at. */
export function typesOf(
  root: Node,
  schema: unknown,
  visit: () => void = () => {},
): ReadonlySet<unknown> | undefined {
  return typesWithin(root, schema, DEEPEST, visit);
}

function typesWithin(
  root: Node,
  schema: unknown,
  depth: number,
  visit: () => void,
): ReadonlySet<unknown> | undefined {
  visit();
  if (schema === false) return new Set();
  if (!isObject(schema) || depth === 0) return undefined;
  const { type, enum: values, $ref: reference, allOf, anyOf, oneOf } = schema;
  const within = (part: unknown): ReadonlySet<unknown> | undefined =>
    typesWithin(root, part, depth - 1, visit);
  return allOfThese([
    type === undefined ? undefined : withInteger([type].flat()),
    Array.isArray(values) ? withInteger(values.map(typeOfValue)) : undefined,
    "const" in schema ? withInteger([typeOfValue(schema["const"])]) : undefined,
    reference === undefined ? undefined : within(referred(root, reference)),
    ...(Array.isArray(allOf) ? allOf.map(within) : []),
    ...[anyOf, oneOf].map((parts) => (Array.isArray(parts) ? oneOfThese(parts.map(within)) : undefined)),
  ]);
}

// A number may be an integer.
function withInteger(types: readonly unknown[]): ReadonlySet<unknown> {
  return new Set(types.includes("number") ? [...types, "integer"] : types);
}

function typeOfValue(value: unknown): unknown {
  if (Number.isInteger(value)) return "integer";
  const type = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  return TYPES.includes(type) ? type : "null";
}

function allOfThese(parts: readonly (ReadonlySet<unknown> | undefined)[]): ReadonlySet<unknown> | undefined {
  return parts.reduce((sum, part) =>
    sum === undefined ? part : part === undefined ? sum : sum.intersection(part),
  );
}

export function oneOfThese(
  parts: readonly (ReadonlySet<unknown> | undefined)[],
): ReadonlySet<unknown> | undefined {
  const union = new Set<unknown>();
  for (const part of parts) {
    if (part === undefined) return undefined;
    for (const type of part) union.add(type);
  }
  return union;
}
