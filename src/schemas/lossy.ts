// Which schemas lose something: those out of which something is left, and those that contain or refer to one of them.
import { isObject } from "../base";
import type { Node, References } from "./references";

/** All objects of a document, parents first. Those that are not schemas do no harm. */
export function schemasOf(document: Node): Node[] {
  return [...withParents(document).keys()];
}

export function lossySchemas(
  document: Node,
  losing: ReadonlySet<Node>,
  references: References,
): ReadonlySet<Node> {
  const parents = withParents(document);
  const users = new Map<Node, Node[]>();
  for (const node of parents.keys()) {
    const target = references.targetOf(node);
    if (!isObject(target)) continue;
    const known = users.get(target);
    if (known === undefined) users.set(target, [node]);
    else known.push(node);
  }
  const lossy = new Set<Node>();
  const open = [...losing];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (lossy.has(next)) continue;
    lossy.add(next);
    const parent = parents.get(next);
    open.push(...(parent === undefined ? [] : [parent]), ...(users.get(next) ?? []));
  }
  return lossy;
}

function withParents(document: Node): ReadonlyMap<Node, Node | undefined> {
  const parents = new Map<Node, Node | undefined>();
  const visit = (value: unknown, parent: Node | undefined): void => {
    if (Array.isArray(value)) {
      for (const each of value) visit(each, parent);
    } else if (isObject(value)) {
      parents.set(value, parent);
      for (const inner of Object.values(value)) visit(inner, value);
    }
  };
  visit(document, undefined);
  return parents;
}
