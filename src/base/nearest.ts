// "Did you mean …?" for mistyped names.

const LONGEST = 200;

/** The candidate closest to `name`, if it is close enough. Ignores case, `-` and `_`. */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  // The distance takes time proportional to both lengths, and nothing that we know has a name this long.
  if (name.length > LONGEST) return undefined;
  const folded = fold(name);
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(folded.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(folded, fold(candidate));
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
