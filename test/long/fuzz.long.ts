// Requests at random, others each time. RUNTIME_TEST_SEED repeats those of a run.
import { expect, test } from "bun:test";
import { fuzz } from "../generated/fuzz";
import { scaled } from "../support/long";

const REQUESTS = scaled(20_000);
const SEED = Number(process.env["RUNTIME_TEST_SEED"] ?? Math.floor(Math.random() * 2 ** 31));

test(`${REQUESTS} requests at random, seed ${SEED}`, async () => {
  const { requests, succeeded, planted, statuses, runs, operations, neverSucceeded } = await fuzz({
    requests: REQUESTS,
    seed: SEED,
  });
  process.stdout.write(
    `${requests} requests, ${succeeded} succeeded, ${planted} with a planted word, by status ${JSON.stringify(statuses)}, ` +
      `tool runs ${JSON.stringify(runs)}\n`,
  );

  // By chance an operation is asked a few times only, and never rightly; with the seed of `fuzz.test.ts` none is.
  expect(neverSucceeded.length).toBeLessThan(operations / 10);
  expect(succeeded).toBeGreaterThan(requests / 4);
}, 1_200_000);
