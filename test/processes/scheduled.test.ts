// Scheduled runs on two servers of which one is killed: none twice. The long way is in test/long/scheduled.long.ts.
import { expect, test } from "bun:test";
import { drain, sentenceOf } from "./scheduled";

test("200 due runs, two servers, 3 kills: 0 run twice, and those that were cut off end failed, outcome unknown", async () => {
  const drained = await drain({ runs: 200, kills: 3, seed: 5 });
  process.stdout.write(sentenceOf(drained));

  expect(drained.faults).toEqual([]);
  expect(drained.completed + drained.unknown).toBe(200);
  expect(drained.unknown).toBeGreaterThan(0);
}, 120_000);
