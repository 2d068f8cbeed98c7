// Two users of one worker that wants tokens, at full length: test/workers/oauth/crossing.ts.
import { expect, test } from "bun:test";
import { scaled } from "../support/long";
import { cross, sentenceOf } from "../workers/oauth/crossing";

const INTERLEAVINGS = scaled(10_000);

test(`${INTERLEAVINGS} interleavings of two users of a worker`, async () => {
  const figures = await cross({ interleavings: INTERLEAVINGS, seed: 2_000_000, processesEvery: 200 });
  process.stdout.write(sentenceOf(figures));

  expect(figures.faults).toEqual([]);
  expect(figures.foreign).toBe(0);
  expect(figures.calls).toBeGreaterThan(INTERLEAVINGS / 4);
}, 1_800_000);
