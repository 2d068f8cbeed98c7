// Sets of characters of regular expressions, as sorted ranges of code points.

export type Characters = readonly (readonly [number, number])[];

const LAST = 0x10ffff;
export const NONE: Characters = [];
export const ALL: Characters = [[0, LAST]];

export function union(...sets: readonly Characters[]): Characters {
  const sorted = sets.flat().toSorted(([left], [right]) => left - right);
  const merged: [number, number][] = [];
  for (const [low, high] of sorted) {
    const last = merged.at(-1);
    if (last !== undefined && low <= last[1] + 1) last[1] = Math.max(last[1], high);
    else merged.push([low, high]);
  }
  return merged;
}

export function complement(set: Characters): Characters {
  const rest: [number, number][] = [];
  let next = 0;
  for (const [low, high] of union(set)) {
    if (low > next) rest.push([next, low - 1]);
    next = high + 1;
  }
  return next > LAST ? rest : [...rest, [next, LAST]];
}

export function overlap(left: Characters, right: Characters): boolean {
  return left.some(([low, high]) => right.some(([first, last]) => low <= last && first <= high));
}

const DIGITS: Characters = [[0x30, 0x39]];
const WORD: Characters = union(DIGITS, [
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
]);
const LINE_ENDS: Characters = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
];
const SPACES: Characters = union(LINE_ENDS, [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
]);

/** What `.` means. */
export const ANY = complement(LINE_ENDS);

/** What `\d` and its like mean, by their letters. */
export const CLASSES: Readonly<Record<string, Characters>> = {
  d: DIGITS,
  D: complement(DIGITS),
  w: WORD,
  W: complement(WORD),
  s: SPACES,
  S: complement(SPACES),
};
