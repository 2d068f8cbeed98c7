// Two users × two gateways × two clients: no token and no grant is used for another user, at another gateway or by another
// client, whatever happens at the same time.
import { expect, test } from "bun:test";
import { interleave, sentenceOf } from "./interleave";

test("in 150 interleavings no token is used for another user, at another gateway or by another client", async () => {
  const figures = await interleave({ interleavings: 150, seed: 30_000 });
  process.stdout.write(sentenceOf(figures));

  expect(figures.faults).toEqual([]);
  expect(figures.issued).toBeGreaterThan(30);
  expect(figures.refreshed).toBeGreaterThan(30);
  expect(figures.platformCalls).toBeGreaterThan(60);
  expect(figures.revoked).toBeGreaterThan(15);
  expect(figures.roles).toBeGreaterThan(15);
  expect(figures.signIns).toBeGreaterThan(5);
}, 120_000);
