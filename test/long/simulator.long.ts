// Many seeds of the simulator: test/simulator. Another range of seeds each day.
import { expect, test } from "bun:test";
import { KNOWN } from "../simulator/known";
import { failureOf, reduced, reportOf } from "../simulator/reduce";
import { scaled } from "../support/long";

const SEEDS = scaled(2000);
const STEPS = 100;
const FIRST = 1 + Math.floor(Date.now() / 86_400_000) * 10_000;
const known = new Set(KNOWN.map(({ invariant }) => invariant));

test(`${SEEDS} seeds from ${FIRST}, ${STEPS} steps each`, async () => {
  const failures: string[] = [];
  for (let seed = FIRST; seed < FIRST + SEEDS && failures.length < 5; seed++) {
    const failure = await failureOf(seed, STEPS, known);
    if (failure !== undefined) failures.push(reportOf(await reduced(failure, known)));
  }

  expect(failures).toEqual([]);
}, 3_600_000);
