// Scheduled runs at their full number: test/processes/scheduled.test.ts has a fifth of them.
import { expect, test } from "bun:test";
import { drain, sentenceOf } from "../processes/scheduled";
import { scaled } from "../support/long";

const SEEDS = Array.from({ length: scaled(10) }, (_, index) => index + 1);

test.each(SEEDS)(
  "1,000 due runs, two servers, 10 kills (%i): 0 run twice",
  async (seed) => {
    const drained = await drain({ runs: 1000, kills: 10, seed });
    process.stdout.write(sentenceOf(drained));

    expect(drained.faults).toEqual([]);
    expect(drained.completed + drained.unknown).toBe(1000);
    expect(drained.unknown).toBeGreaterThan(0);
  },
  180_000,
);
