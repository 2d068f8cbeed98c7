// No call of a turn that failed runs, in 10,000 random cuts and corruptions of streams.
import fc from "fast-check";
import { expect, test } from "bun:test";
import { broken, callsGiven, callsRun } from "../llm/cut-streams";

test("no call of a turn that failed runs", async () => {
  await fc.assert(
    fc.asyncProperty(broken, async (stream) => {
      expect([await callsRun(stream), await callsGiven(stream)]).toEqual([0, 0]);
    }),
    { numRuns: 10_000 },
  );
}, 120_000);
