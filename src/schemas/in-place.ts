// References that a check of one value would follow without end, or too often: a schema that refers to itself for the same
// value, and schemas that refer to each other several times each, so that their number doubles with every step.
import { isObject } from "../base";
import { type Node, type References } from "./references";

/** Schemas that are checked for one value. Real ones have some dozens. */
const MOST_SCHEMAS = 2000;
const VISITING = -1;

/** The schemas among `nodes` whose references must be opened. `nodes`: parents first. */
export function endlessReferences(nodes: readonly Node[], references: References): ReadonlySet<Node> {
  const weights = new Map<Node, number>();
  const opened = new Set<Node>();

  function weigh(node: Node): number {
    const known = weights.get(node);
    if (known !== undefined) return known === VISITING ? Infinity : known;
    weights.set(node, VISITING);
    let sum = 1;
    for (const part of partsOf(node)) sum += weigh(part);
    const target = references.targetOf(node);
    if (isObject(target)) {
      const weight = weigh(target);
      if (sum + weight > MOST_SCHEMAS) opened.add(node);
      else sum += weight;
    }
    weights.set(node, sum);
    return sum;
  }

  for (const node of nodes) weigh(node);
  return opened;
}

/** The schemas inside of a schema that are for the same value. */
function partsOf(node: Node): Node[] {
  const lists = [node["allOf"], node["anyOf"], node["oneOf"]].filter(Array.isArray);
  const maps = [node["dependentSchemas"], node["dependencies"]].filter(isObject);
  const parts: unknown[] = [
    ...lists.flat(),
    ...maps.flatMap((map) => Object.values(map)),
    node["not"],
    node["if"],
    node["then"],
    node["else"],
  ];
  return parts.filter(isObject);
}
