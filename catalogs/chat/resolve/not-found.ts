// The error for a name that was not found, with the names that the caller may have meant.
import { retryableInput, type ToolError, upstreamRateLimited } from "../../../src/tools";
import { RETRY_AFTER_MS } from "../limits";
import type { Stop } from "./search";

/**
 * @param what what was looked up, as the caller named it
 * @param stopped why the search ended early, if it did: then the name may exist all the same
 * @param known for the model: what exists instead
 */
export function notFound(what: string, stopped: Stop | undefined, known: string): ToolError {
  const details = { statusCode: 404, retryAfterMs: RETRY_AFTER_MS, additionalPromptContent: known };
  if (stopped === undefined) {
    return retryableInput(`Not found, or not visible to this user: ${what}.`, details);
  }
  const soFar = `Not found so far: ${what}. The workspace is large;`;
  if (stopped === "time") {
    return retryableInput(`${soFar} the search ran out of time. Try again or give an id.`, details);
  }
  return upstreamRateLimited(
    `${soFar} the search was stopped by the platform's rate limit. Try again later or give an id.`,
    {
      ...stopped.details,
      additionalPromptContent: known,
    },
  );
}

/** The items whose texts are most similar to one of the wanted ones, best first, at most `count`. */
export function closest<Item>(
  wanted: readonly string[],
  items: Iterable<Item>,
  textsOf: (item: Item) => readonly (string | null)[],
  count: number,
): Item[] {
  // Every name is compared with every item, so only the first names, and of long ones only the beginning, are.
  const targets = wanted.slice(0, MOST_COMPARED).map(pairsOf);
  const similarity = (item: Item): number =>
    textsOf(item)
      .flatMap((text) => targets.map((target) => overlap(target, text ?? "")))
      .reduce((most, each) => Math.max(most, each), 0);
  return Array.from(items, (item) => ({ item, score: similarity(item) }))
    .toSorted((left, right) => right.score - left.score)
    .slice(0, count)
    .map(({ item }) => item);
}

const MOST_COMPARED = 10;
const LONGEST_COMPARED = 100;

/** Pairs of adjacent letters; a name of one letter is one item. */
function pairsOf(text: string): Set<string> {
  const folded = text.slice(0, LONGEST_COMPARED).toLowerCase();
  const pairs = new Set<string>();
  for (let index = 0; index < Math.max(1, folded.length - 1); index++)
    pairs.add(folded.slice(index, index + 2));
  return pairs;
}

/** Dice's coefficient of two sets of pairs: 0 for nothing in common, 1 for equal sets. */
function overlap(target: Set<string>, text: string): number {
  const pairs = pairsOf(text);
  let common = 0;
  for (const pair of pairs) if (target.has(pair)) common++;
  return (2 * common) / (target.size + pairs.size);
}
