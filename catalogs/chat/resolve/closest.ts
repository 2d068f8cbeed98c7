// "Which of these did you mean?": the names that look most like one that was not found.

/** The items whose texts look most like one of the wanted ones, best first, at most `count`. */
export function closest<Item>(
  wanted: readonly string[],
  items: Iterable<Item>,
  textsOf: (item: Item) => readonly (string | null)[],
  count: number,
): Item[] {
  const targets = wanted.map(pairsOf);
  const likeness = (item: Item): number =>
    Math.max(0, ...textsOf(item).flatMap((text) => targets.map((target) => overlap(target, text ?? ""))));
  return Array.from(items, (item) => ({ item, score: likeness(item) }))
    .toSorted((left, right) => right.score - left.score)
    .slice(0, count)
    .map(({ item }) => item);
}

/** Adjacent letters; a name of one letter is a pair with nothing. */
function pairsOf(text: string): Set<string> {
  const folded = text.toLowerCase();
  const pairs = new Set<string>();
  for (let index = 0; index < Math.max(1, folded.length - 1); index++)
    pairs.add(folded.slice(index, index + 2));
  return pairs;
}

/** Dice's coefficient of two sets of pairs: 0 for nothing in common, 1 for the same. */
function overlap(target: Set<string>, text: string): number {
  const pairs = pairsOf(text);
  let common = 0;
  for (const pair of pairs) if (target.has(pair)) common++;
  return (2 * common) / (target.size + pairs.size);
}
