// Which parts of a schema apply to a value inside of an input.
import { isObject } from "../base";
import { referred } from "./pointer";
import type { Node } from "./references";

const LISTS = ["allOf", "anyOf", "oneOf"];
const CONDITIONS = ["then", "else"];
const MOST = 1000;

/** Schemas and all those that apply to the same value: their targets, their alternatives, their conditions. */
export function schemasInPlace(root: object, ...schemas: readonly unknown[]): Node[] {
  const found = new Set<Node>();
  const open = [...schemas];
  for (let at = 0; at < open.length && found.size < MOST; at++) {
    const next = open[at];
    if (!isObject(next) || found.has(next)) continue;
    found.add(next);
    const { dependentSchemas } = next;
    open.push(
      referred(root, next["$ref"]),
      ...LISTS.flatMap((keyword) => next[keyword] ?? []),
      ...CONDITIONS.map((keyword) => next[keyword]),
      ...(isObject(dependentSchemas) ? Object.values(dependentSchemas) : []),
    );
  }
  return [...found];
}

/** The schemas for a member of an object or an entry of a list, of all these schemas for the whole. */
export function schemasInside(schemas: readonly Node[], step: string | number): unknown[] {
  return schemas.flatMap((schema) => {
    const { properties, additionalProperties, prefixItems, items, additionalItems } = schema;
    if (typeof step === "string") {
      const own = isObject(properties) && Object.hasOwn(properties, step) ? properties[step] : undefined;
      return own ?? additionalProperties ?? [];
    }
    const tuple = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
    const rest = Array.isArray(items) ? additionalItems : items;
    return tuple[step] ?? rest ?? [];
  });
}

/** The schemas that apply to the value at a path. */
export function schemasAt(root: object, path: readonly string[]): Node[] {
  let schemas = schemasInPlace(root, root);
  for (const step of path) {
    const inside = schemasInside(schemas, step);
    const entry = /^\d{1,9}$/.test(step) ? schemasInside(schemas, Number(step)) : [];
    schemas = schemasInPlace(root, ...inside, ...entry);
  }
  return schemas;
}

/** The names of members that they declare. */
export function namesIn(schemas: readonly Node[]): string[] {
  const names = schemas.flatMap(({ properties }) => (isObject(properties) ? Object.keys(properties) : []));
  return [...new Set(names)];
}
