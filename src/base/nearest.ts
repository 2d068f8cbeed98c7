// "Did you mean …?" for mistyped names.

/** Longer names are not typing mistakes, and more candidates than this are not looked at: the work is their product. */
const MAX_LENGTH = 200;
const MAX_CANDIDATES = 2000;
/** Of two shorter names, one is a mistyped other one only by case, `-` or `_`. */
const SHORTEST_TYPO = 4;
/** From this length on, two letters may be wrong. */
const LONG_NAME = 8;

/** The candidate closest to `name`, if it is close enough. Ignores case, `-` and `_`. */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  return closest(name, candidates, (folded) => Math.max(2, Math.floor(folded.length / 3)));
}

/**
 * The candidate that `name` is very likely a mistyped form of: at most one letter is wrong, missing, added or swapped with
 * its neighbour, two in long names. Stricter than `nearest`, for names that are refused because of it.
 */
export function typoOf(name: string, candidates: readonly string[]): string | undefined {
  return closest(name, candidates, (folded, candidate) => {
    const shortest = Math.min(folded.length, candidate.length);
    if (shortest < SHORTEST_TYPO) return 0;
    return shortest < LONG_NAME ? 1 : 2;
  });
}

/** `mostOf`: the largest distance between two folded names that counts as close. */
function closest(
  name: string,
  candidates: readonly string[],
  mostOf: (folded: string, candidate: string) => number,
): string | undefined {
  if (name.length > MAX_LENGTH) return undefined;
  const folded = fold(name);
  let best: string | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of candidates.slice(0, MAX_CANDIDATES)) {
    // The distance is at least the difference of the lengths.
    if (Math.abs(candidate.length - name.length) > MAX_LENGTH) continue;
    const text = fold(candidate);
    const most = Math.min(mostOf(folded, text), bestDistance - 1);
    if (Math.abs(text.length - folded.length) > most) continue;
    const distance = editDistance(folded, text);
    if (distance <= most) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

function fold(text: string): string {
  return text.toLowerCase().replaceAll(/[-_]/g, "");
}

/** The number of letters to replace, insert, remove or swap with their neighbour (optimal string alignment). */
function editDistance(left: string, right: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const same = left[row - 1] === right[column - 1] ? 0 : 1;
      const replace = (previous[column - 1] ?? 0) + same;
      const swapped = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      const swap = swapped ? (beforePrevious[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY;
      current.push(Math.min(replace, swap, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    [beforePrevious, previous] = [previous, current];
  }
  return previous[right.length] ?? 0;
}
