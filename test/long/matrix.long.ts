// The cross-user matrix at its full length: test/authorization/matrix.
import { expect, test } from "bun:test";
import { interleave, sentenceOf } from "../authorization/matrix/interleave";
import { scaled } from "../support/long";

const INTERLEAVINGS = scaled(10_000);

test(`${INTERLEAVINGS} interleavings over projects, users and providers`, async () => {
  const figures = await interleave({
    interleavings: INTERLEAVINGS,
    seed: 1_000_000,
    terminalShare: 0.12,
    processesEvery: 200,
  });
  process.stdout.write(sentenceOf(figures));

  expect(figures.faults).toEqual([]);
  expect(figures.foreign).toBe(0);
  expect(figures.platformCalls).toBeGreaterThan(INTERLEAVINGS);
}, 600_000);
