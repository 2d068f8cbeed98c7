// "Did you mean …?" for mistyped names.

/** Longer names are not typing mistakes, and more candidates than this are not looked at: the work is their product. */
const MAX_LENGTH = 200;
const MAX_CANDIDATES = 2000;

/** The candidate closest to `name`, if it is close enough. Ignores case, `-` and `_`. */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  if (name.length > MAX_LENGTH) return undefined;
  const folded = fold(name);
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(folded.length / 3)) + 1;
  for (const candidate of candidates.slice(0, MAX_CANDIDATES)) {
    // The distance is at least the difference of the lengths.
    if (Math.abs(candidate.length - name.length) > MAX_LENGTH) continue;
    const text = fold(candidate);
    if (Math.abs(text.length - folded.length) >= bestDistance) continue;
    const distance = editDistance(folded, text);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

function fold(text: string): string {
  return text.toLowerCase().replaceAll(/[-_]/g, "");
}

/** Levenshtein distance, two rows at a time. */
function editDistance(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const same = left[row - 1] === right[column - 1] ? 0 : 1;
      const replace = (previous[column - 1] ?? 0) + same;
      current.push(Math.min(replace, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[right.length] ?? 0;
}
