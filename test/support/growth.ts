// How the time that a piece of work takes grows with its input. The only way in which tests measure how fast code is: a
// ratio holds on a slow or busy machine too, milliseconds do not.

const RUNS = 5;

/**
 * How many times as long four times the input takes: about 4 if the work is linear, 16 if it is quadratic. The shortest of
 * five runs of each counts. `prepare` makes the input of a size and returns the work on it.
 */
export function growthOf(size: number, prepare: (size: number) => () => unknown): number {
  let growth = measured(size, prepare);
  // Again, because the machine may have been busy with something else.
  for (let more = 1; more < CONFIRMATIONS && growth > MOST_GROWTH; more++)
    growth = Math.min(growth, measured(size, prepare));
  return growth;
}

function measured(size: number, prepare: (size: number) => () => unknown): number {
  const [small, large] = [prepare(size), prepare(4 * size)];
  const shortest = { small: Infinity, large: Infinity };
  for (let run = 0; run < RUNS; run++) {
    shortest.small = Math.min(shortest.small, timeOf(small));
    shortest.large = Math.min(shortest.large, timeOf(large));
  }
  return shortest.large / shortest.small;
}

/** Close together at first: exponential work at 100 characters would never end, cubic work at 100 KB would take days. */
const SIZES = [16, 24, 32, 48, 100, 400, 1_600, 6_400, 25_600, 102_400];
const NOTICEABLE_MS = 5;
// Above 30 KB the engine may run a pattern in its interpreter. That is one step of about 50 ms, and linear again; quadratic
// work that takes this long shows at the sizes before.
const LONG = 100_000;
const NOTICEABLE_LONG_MS = 500;
const MOST_GROWTH = 10;
const CONFIRMATIONS = 4;
const SHORT = 100;

/**
 * The size at which work grows faster than linearly (more than ten times for four times the input); undefined if it does
 * not up to 100 KB. What takes less than 5 ms at a size is not measured there.
 */
export function growsTooFast(prepare: (size: number) => () => unknown): number | undefined {
  return SIZES.find(
    (size) =>
      timeOf(prepare(size)) > (size < LONG ? NOTICEABLE_MS : NOTICEABLE_LONG_MS) &&
      // What is noticed on so short a text is exponential, and far above the limit.
      (size < SHORT ? measured : growthOf)(size / 4, prepare) > MOST_GROWTH &&
      (size < LONG || growthOf(size, prepare) > MOST_GROWTH),
  );
}

function timeOf(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}
