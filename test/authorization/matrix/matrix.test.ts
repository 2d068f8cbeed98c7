// Project × user × provider, through HTTP and the terminal: whatever happens at once, a platform sees a token of nobody
// but the user whom the call names, and who has not consented is not served.
import { expect, test } from "bun:test";
import { interleave, sentenceOf } from "./interleave";

test("in 1,000 interleavings no call uses the token of another user, and none succeeds without a consent [fault: token-of-another-user]", async () => {
  const figures = await interleave({
    interleavings: 1000,
    seed: 20_000,
    terminalShare: 0.12,
    processesEvery: 100,
  });
  process.stdout.write(sentenceOf(figures));

  expect(figures.faults).toEqual([]);
  expect(figures.foreign).toBe(0);
  // It was no idle run.
  expect(figures.platformCalls).toBeGreaterThan(1000);
  expect(figures.served).toBeGreaterThan(1000);
  expect(figures.refreshes).toBeGreaterThan(100);
  expect(figures.commands).toBeGreaterThan(100);
  expect(figures.processes).toBe(30);
  // Twenty seconds, and three times that on a machine that does two other things.
}, 180_000);
