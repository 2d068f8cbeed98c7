// The root of an input schema: always an object, with its own properties.
import { isObject } from "../base";
import { referred } from "./pointer";
import type { Node } from "./references";

const COMBINATIONS = ["anyOf", "oneOf"] as const;
/** References that lead from one schema to the next. */
const MOST_STEPS = 20;

/** The schema with `type: object`, with `properties`, and, if the root is a reference, with the keywords of its target. */
export function objectRoot(schema: Node): { schema: Node } | { reason: string } {
  const whole = withTarget(schema);
  if (!takesObjects(whole, whole, 0)) {
    const { type } = whole;
    const other = typeof type === "string" ? `, but one of the type ${type}` : "";
    return { reason: `The schema does not describe an object${other}.` };
  }
  const { properties = {} } = whole;
  return { schema: { ...whole, type: "object", properties } };
}

function withTarget(schema: Node): Node {
  let whole = schema;
  for (let step = 0; step < MOST_STEPS && typeof whole["$ref"] === "string"; step++) {
    const { $ref: reference, ...own } = whole;
    const target = referred(schema, reference);
    if (!isObject(target)) break;
    const isDouble = Object.keys(target).some(
      (keyword) => keyword !== "$defs" && keyword !== "definitions" && Object.hasOwn(own, keyword),
    );
    // Both apply.
    if (isDouble) return { ...own, allOf: [...[own["allOf"] ?? []].flat(), { $ref: reference }] };
    whole = { ...target, ...own };
  }
  return whole;
}

/** Whether some object may be valid, as far as the types say. */
function takesObjects(root: Node, schema: unknown, steps: number): boolean {
  if (!isObject(schema) || steps > MOST_STEPS) return schema !== false;
  const { type, $ref: reference, allOf } = schema;
  const within = (part: unknown): boolean => takesObjects(root, part, steps + 1);
  const values = Array.isArray(schema["enum"])
    ? schema["enum"]
    : "const" in schema
      ? [schema["const"]]
      : undefined;
  return (
    (type === undefined || [type].flat().includes("object")) &&
    (values === undefined || values.some(isObject)) &&
    (reference === undefined || within(referred(root, reference))) &&
    (!Array.isArray(allOf) || allOf.every(within)) &&
    COMBINATIONS.every((keyword) => {
      const parts = schema[keyword];
      return !Array.isArray(parts) || parts.some(within);
    })
  );
}
