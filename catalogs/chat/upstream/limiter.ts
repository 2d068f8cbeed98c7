// At most so many pieces of work at the same time; the others wait in line.

export type Limiter = <T>(work: () => Promise<T>) => Promise<T>;

/** A line of its own: work handed to it starts in order, `width` pieces at a time. */
export function limiter(width: number): Limiter {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running < width) running++;
    // Whoever finishes hands its place on, so nobody can slip in between.
    else await new Promise<void>((start) => waiting.push(start));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}
