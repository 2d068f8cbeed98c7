// Some seeds of the simulator. `bun test/simulator/run.ts --seed N` replays one, `--reduce` shortens it.
import { describe, expect, test } from "bun:test";
import { INVARIANTS } from "./invariants";
import { KNOWN } from "./known";
import { failureOf, reduced, reportOf } from "./reduce";
import { simulate } from "./simulation";
import { stepsOf } from "./draw";
import { sentenceOf } from "./steps";

const STEPS = 100;
const FIRST = 1;
const SEEDS = 12;
const known = new Set(KNOWN.map(({ invariant }) => invariant));

test(`${SEEDS} seeds violate only known invariants`, async () => {
  const failures: string[] = [];
  for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
    const failure = await failureOf(seed, STEPS, known);
    if (failure !== undefined) failures.push(reportOf(await reduced(failure, known)));
  }

  expect(failures).toEqual([]);
}, 60_000);

describe("a known fault is still there:", () => {
  const shown = KNOWN.flatMap(({ invariant, reason, seed }) =>
    seed === undefined ? [] : [[invariant, reason, seed] as const],
  );
  test.each(shown)(
    "%s: %s",
    async (invariant, _reason, seed) => {
      const others = new Set(Object.keys(INVARIANTS).filter((name) => name !== invariant));
      const failure = await failureOf(seed, STEPS, others);

      expect(failure?.violation.invariant).toBe(invariant);
    },
    20_000,
  );
});

test("a seed gives the same run each time", async () => {
  const runs = [];
  for (let repeat = 0; repeat < 2; repeat++) {
    const { operations } = await simulate(7, stepsOf(7, STEPS), new Set(Object.keys(INVARIANTS)));
    runs.push(operations.map(({ label, endedAt, execution }) => [label, endedAt, execution?.id]));
  }

  expect(runs[0]?.length).toBeGreaterThan(10);
  expect(runs[1]).toEqual(runs[0] ?? []);
}, 20_000);

test("steps can be read, and a longer list begins with the shorter one", () => {
  const steps = stepsOf(1, 20);

  expect(stepsOf(1, 40).slice(0, 20)).toEqual(steps);
  expect(sentenceOf({ number: 4, kind: "pass", ms: 1000 })).toBe("   4  pass ms 1000");
});
