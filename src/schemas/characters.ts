// Sets of characters of regular expressions, as sorted ranges of code points.

export type Characters = readonly (readonly [number, number])[];

const LAST = 0x10ffff;
export const NONE: Characters = [];
export const ALL: Characters = [[0, LAST]];

/** More ranges are joined to one: a set may be too large, never too small. It bounds the work on a pattern. */
const MOST_RANGES = 32;

export function union(...sets: readonly Characters[]): Characters {
  const [only = NONE, ...others] = sets.filter((set) => set.length > 0);
  if (others.length === 0) return only;
  const merged: [number, number][] = [];
  for (const [low, high] of [only, ...others].flat().toSorted(byLow)) {
    const last = merged.at(-1);
    if (last !== undefined && low <= last[1] + 1) last[1] = Math.max(last[1], high);
    else merged.push([low, high]);
  }
  return merged;
}

/** Of two sets, the larger one if it contains the other: without making another one. */
export function joined(left: Characters, right: Characters): Characters {
  const [larger, smaller] = left.length < right.length ? [right, left] : [left, right];
  return smaller.every((range) => contains(larger, range)) ? larger : coarse(union(left, right));
}

function contains(set: Characters, [low, high]: Characters[number]): boolean {
  return set.some(([first, last]) => first <= low && high <= last);
}

/** Whether no two of them have a character in common. */
export function areDisjoint(sets: readonly Characters[]): boolean {
  const ranges = sets.flat().toSorted(byLow);
  return ranges.every(({ 0: low }, index) => index === 0 || low > (ranges[index - 1]?.[1] ?? -1));
}

function byLow(left: Characters[number], right: Characters[number]): number {
  return left[0] - right[0];
}

/** The set, or a larger one of few ranges. */
export function coarse(set: Characters): Characters {
  const [first, last] = [set[0], set.at(-1)];
  return set.length <= MOST_RANGES || first === undefined || last === undefined ? set : [[first[0], last[1]]];
}

/** Of a whole set: of one that is too large, the complement would be too small. */
export function complement(set: Characters): Characters {
  const rest: [number, number][] = [];
  let next = 0;
  for (const [low, high] of set) {
    if (low > next) rest.push([next, low - 1]);
    next = high + 1;
  }
  return next > LAST ? rest : [...rest, [next, LAST]];
}

export function overlap(left: Characters, right: Characters): boolean {
  let [first, second] = [0, 0];
  for (;;) {
    const [one, other] = [left[first], right[second]];
    if (one === undefined || other === undefined) return false;
    if (one[1] < other[0]) first++;
    else if (other[1] < one[0]) second++;
    else return true;
  }
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
