// No call of a turn that failed runs. The long test tries ten times as many.
import fc from "fast-check";
import { expect, test } from "bun:test";
import { broken, callsGiven, callsRun, SAMPLES } from "./cut-streams";

test.each(SAMPLES.map((sample) => [sample.name, sample] as const))(
  "a call of a turn that ends runs, or is given to the caller: %s",
  async (_name, sample) => {
    const whole = { sample, text: sample.text, size: 50, breaks: false };
    expect(await callsRun(whole)).toBe(1);
    // When it is added, when it is done, and in the response at the end.
    expect(await callsGiven(whole)).toBe(3);
  },
);

test("no call of a turn runs or is given to the caller whose stream was cut, broke off, or contained an error", async () => {
  await fc.assert(
    fc.asyncProperty(broken, async (stream) => {
      expect([await callsRun(stream), await callsGiven(stream)]).toEqual([0, 0]);
    }),
    { numRuns: 1000 },
  );
});
