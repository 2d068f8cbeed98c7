// Arithmetic of measurements.

/** The middle value; of an even number of values, the mean of the two in the middle. NaN for none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
}

/** The value that a share of all values does not exceed (nearest rank). `sorted` is ascending. NaN for none. */
export function percentile(sorted: ArrayLike<number>, share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? NaN;
}

/** Smallest and largest value. */
export function spread(values: readonly number[]): [number, number] {
  return [Math.min(...values), Math.max(...values)];
}

/**
 * Ratios by round, because a disturbance of the machine in a round affects both sides.
 * Throws `RangeError` when the sides have different numbers of rounds.
 */
export function ratios(measured: readonly number[], baseline: readonly number[]): number[] {
  if (measured.length !== baseline.length) throw new RangeError("each round needs both sides");
  return measured.map((value, round) => value / (baseline[round] ?? NaN));
}

/** A figure with thousands separated: `33,120`. */
export function grouped(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}
