// Two users of one worker that wants tokens: no token and no session of the one serves the other.
import { expect, test } from "bun:test";
import { cross, sentenceOf } from "./crossing";

test("in 500 interleavings of two users the worker sees no token and no session of another user", async () => {
  const figures = await cross({ interleavings: 500, seed: 30_000, processesEvery: 100 });
  process.stdout.write(sentenceOf(figures));

  expect(figures.faults).toEqual([]);
  expect(figures.foreign).toBe(0);
  // Something happened.
  expect(figures.calls).toBeGreaterThan(200);
  for (const entry of ["rest", "mcp", "chat", "terminal", "schedule"])
    expect([entry, (figures.served[entry] ?? 0) > 3]).toEqual([entry, true]);
  expect(figures.consents).toBeGreaterThan(20);
  expect(figures.refreshes).toBeGreaterThan(20);
  expect(figures.sessions).toBeGreaterThan(2);
}, 240_000);
