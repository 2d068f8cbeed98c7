// Random requests, different in each run. RUNTIME_TEST_SEED repeats the requests of a run.
import { expect, test } from "bun:test";
import { fuzz } from "../generated/fuzz";
import { scaled } from "../support/long";

const REQUESTS = scaled(20_000);
const SEED = Number(process.env["RUNTIME_TEST_SEED"] ?? Math.floor(Math.random() * 2 ** 31));

test(`${REQUESTS} random requests, seed ${SEED}`, async () => {
  const { requests, succeeded, planted, statuses, runs, operations, neverSucceeded } = await fuzz({
    requests: REQUESTS,
    seed: SEED,
  });
  process.stdout.write(
    `${requests} requests, ${succeeded} succeeded, ${planted} with a planted word, by status ${JSON.stringify(statuses)}, ` +
      `tool runs ${JSON.stringify(runs)}\n`,
  );

  // By chance an operation may get only a few requests and no valid one; with the seed of `fuzz.test.ts` each gets one.
  expect(neverSucceeded.length).toBeLessThan(operations / 10);
  expect(succeeded).toBeGreaterThan(requests / 4);
}, 1_200_000);
