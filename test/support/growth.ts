// How the time that a piece of work takes grows with its input. The only way in which tests measure how fast code is: a
// ratio holds on a slow or busy machine too, milliseconds do not.

const RUNS = 5;

/**
 * How many times as long four times the input takes: about 4 if the work is linear, 16 if it is quadratic. The shortest of
 * five runs of each counts. `prepare` makes the input of a size and returns the work on it.
 */
export function growthOf(size: number, prepare: (size: number) => () => unknown): number {
  const [small, large] = [prepare(size), prepare(4 * size)];
  const shortest = { small: Infinity, large: Infinity };
  for (let run = 0; run < RUNS; run++) {
    shortest.small = Math.min(shortest.small, timeOf(small));
    shortest.large = Math.min(shortest.large, timeOf(large));
  }
  return shortest.large / shortest.small;
}

function timeOf(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}
