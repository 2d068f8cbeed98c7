// Runs a seed, and reduces a failing list of steps to a short one.
import type { Violation } from "./invariants";
import { simulate } from "./simulation";
import { stepsOf } from "./draw";
import { type Engine, sentenceOf, type Step } from "./steps";

export interface Failure {
  readonly seed: number;
  readonly engine: Engine;
  readonly violation: Violation;
  readonly steps: readonly Step[];
}

/** The first violation of a seed. `ignored`: invariants that are not checked. */
export async function failureOf(
  seed: number,
  count: number,
  ignored?: ReadonlySet<string>,
  engine: Engine = "sqlite",
): Promise<Failure | undefined> {
  const steps = stepsOf(seed, count, engine);
  const failed = (await simulate(seed, steps, ignored, engine)).failed;
  if (failed === undefined) return undefined;
  return {
    seed,
    engine,
    violation: failed.violation,
    steps: steps.filter(({ number }) => number <= failed.after),
  };
}

/** Leaves out steps, first many at a time, while the same invariant is still violated. */
export async function reduced(failure: Failure, ignored?: ReadonlySet<string>): Promise<Failure> {
  let best = failure;
  for (
    let size = Math.ceil(failure.steps.length / 2);
    size >= 1;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  ) {
    for (let from = 0; from < best.steps.length;) {
      const steps = [...best.steps.slice(0, from), ...best.steps.slice(from + size)];
      const failed = (await simulate(failure.seed, steps, ignored, failure.engine)).failed;
      if (failed?.violation.invariant === failure.violation.invariant) {
        const needed = steps.filter(({ number }) => number <= failed.after);
        best = { ...best, violation: failed.violation, steps: needed };
      } else from += size;
    }
  }
  return best;
}

export function reportOf({ seed, violation, steps }: Failure): string {
  const { invariant, detail } = violation;
  return [`seed ${seed}: ${invariant}: ${detail}`, ...steps.map(sentenceOf)].join("\n");
}
