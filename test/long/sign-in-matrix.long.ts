// People, gateways and clients at their full length: test/people/matrix.
import { expect, test } from "bun:test";
import { interleave, sentenceOf } from "../people/matrix/interleave";
import { scaled } from "../support/long";

const INTERLEAVINGS = scaled(10_000);

test(`${INTERLEAVINGS} interleavings of people, gateways and clients`, async () => {
  const figures = await interleave({ interleavings: INTERLEAVINGS, seed: 3_000_000 });
  process.stdout.write(sentenceOf(figures));

  expect(figures.faults).toEqual([]);
  expect(figures.platformCalls).toBeGreaterThan(INTERLEAVINGS / 4);
}, 1_800_000);
