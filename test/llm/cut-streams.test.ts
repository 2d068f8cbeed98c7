// No call of a turn that failed runs. The long test tries ten times as many.
import fc from "fast-check";
import { expect, test } from "bun:test";
import { broken, callsRun, SAMPLES } from "./cut-streams";

test.each(SAMPLES.map((sample) => [sample.name, sample] as const))(
  "a call of a turn that ends runs: %s",
  async (_name, sample) => {
    expect(await callsRun({ sample, text: sample.text, size: 50, breaks: false })).toBe(1);
  },
);

test("no call of a turn runs whose stream was cut, broke off, or contained an error", async () => {
  await fc.assert(
    fc.asyncProperty(broken, async (stream) => {
      expect(await callsRun(stream)).toBe(0);
    }),
    { numRuns: 1000 },
  );
});
