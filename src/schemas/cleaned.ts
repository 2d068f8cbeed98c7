// A document of schemas, cleaned: what a check cannot use is left out, and all that depends on it.
import { isObject } from "../base";
import { Cleaner } from "./clean";
import { endlessReferences } from "./in-place";
import { lossySchemas, schemasOf } from "./lossy";
import { isOldDraft } from "./older-drafts";
import { longestText } from "./pattern";
import { type Node, References } from "./references";

const NONE: ReadonlySet<Node> = new Set();

/** `lossy`: schemas that take more than they say, so that nothing may depend on what they refuse. */
export function cleaned(
  document: Node,
  lossy: ReadonlySet<Node> = NONE,
): { result: Node; dropped: string[] } {
  const references = new References(document);
  const opened = endlessReferences(schemasOf(document), references);
  const options = { references, opened, isOldDraft: isOldDraft(document) };
  // The first time only finds out which schemas lose something.
  const first = new Cleaner({ ...options, isLossy: () => false });
  const result = first.document(document);
  const losing = first.lossy.union(lossy);
  if (losing.size === 0) return { result, dropped: [] };
  const all = lossySchemas(document, losing, references);
  const second = new Cleaner({ ...options, isLossy: (node) => isObject(node) && all.has(node) });
  return { result: second.document(document), dropped: second.dropped };
}

/** The schema for values with texts that are too long for a pattern: whether they match is not known, so it must not matter. */
export function forUntestedPatterns(schema: Node): Node {
  const limited = schemasOf(schema).filter(
    ({ pattern }) => typeof pattern === "string" && longestText(pattern) !== Infinity,
  );
  return cleaned(schema, new Set(limited)).result;
}
