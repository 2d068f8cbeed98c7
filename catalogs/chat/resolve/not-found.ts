// The error for a name that was not found, with the names that the caller may have meant.
import { retryableInput, type ToolError, upstreamRateLimited } from "../../../src/tools";
import { RETRY_AFTER_MS } from "../limits";
import type { Stop } from "./search";

/** Names for which similar ones are looked for. */
const MAX_COMPARED = 5;
/** Names that a message repeats. */
export const MAX_SHOWN = 20;
/** Of a name, in characters. The longest names of the platform are shorter. */
const MAX_LENGTH = 200;

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
    return retryableInput(
      `${soFar} the search ran out of time. Call again: it continues where it stopped. Or give an id.`,
      details,
    );
  }
  return upstreamRateLimited(
    `${soFar} the platform's rate limit stopped the search. Call again in ${secondsOf(stopped)} s: it continues where it ` +
      "stopped. Or give an id.",
    {
      ...stopped.details,
      additionalPromptContent: known,
    },
  );
}

function secondsOf({ details }: ToolError): number {
  return Math.ceil((details.retryAfterMs ?? 1000) / 1000);
}

/** The names in an error message. `more`: what follows each of them. */
export function shownNames(names: readonly string[], more: (name: string) => string = () => ""): string {
  const shown = names.slice(0, MAX_SHOWN).map((name) => `${shortened(name)}${more(name)}`);
  const others = names.length - shown.length;
  return others === 0 ? shown.join(", ") : `${shown.join(", ")} and ${others} more`;
}

export function shortened(name: string): string {
  return name.length > MAX_LENGTH ? `${name.slice(0, MAX_LENGTH)}…` : name;
}

/** The items whose texts are most similar to one of the wanted ones, best first, at most `count`. */
export function closest<Item>(
  wanted: readonly string[],
  items: Iterable<Item>,
  textsOf: (item: Item) => readonly (string | null)[],
  count: number,
): Item[] {
  // Suggestions cost the product of both lists and of the lengths of their texts.
  const targets = wanted.slice(0, MAX_COMPARED).map((text) => pairsOf(text.slice(0, MAX_LENGTH)));
  const similarity = (item: Item): number =>
    Math.max(
      0,
      ...textsOf(item).flatMap((text) => {
        const pairs = pairsOf((text ?? "").slice(0, MAX_LENGTH));
        return targets.map((target) => overlap(target, pairs));
      }),
    );
  return Array.from(items, (item) => ({ item, score: similarity(item) }))
    .toSorted((left, right) => right.score - left.score)
    .slice(0, count)
    .map(({ item }) => item);
}

/** Pairs of adjacent letters; a name of one letter is one item. */
function pairsOf(text: string): Set<string> {
  const folded = text.toLowerCase();
  const pairs = new Set<string>();
  for (let index = 0; index < Math.max(1, folded.length - 1); index++)
    pairs.add(folded.slice(index, index + 2));
  return pairs;
}

/** Dice's coefficient of two sets of pairs: 0 for nothing in common, 1 for equal sets. */
function overlap(target: Set<string>, pairs: Set<string>): number {
  let common = 0;
  for (const pair of pairs) if (target.has(pair)) common++;
  return (2 * common) / (target.size + pairs.size);
}
