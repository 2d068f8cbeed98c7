// Scheduled runs in full number: test/processes/scheduled.test.ts has a fifth of them.
import { expect, test } from "bun:test";
import { drain, sentenceOf } from "../processes/scheduled";
import { scaled } from "../support/long";
import { deploy } from "../tools/deployment";
import { ended, schedule } from "../tools/schedule/scheduling";

const SEEDS = Array.from({ length: scaled(10) }, (_, index) => index + 1);

test.each(SEEDS)(
  "none of 1,000 due runs on two servers runs twice after 10 kills (%i)",
  async (seed) => {
    const drained = await drain({ runs: 1000, kills: 10, seed });
    process.stdout.write(sentenceOf(drained));

    expect(drained.faults).toEqual([]);
    expect(drained.completed + drained.unknown).toBe(1000);
    expect(drained.unknown).toBeGreaterThan(0);
  },
  180_000,
);

test("a run that takes longer than its lease renews it and is not taken over", async () => {
  await using deployment = await deploy();
  const { runtime, test: catalog } = deployment;
  catalog.act = async () => {
    await Bun.sleep(25_000);
    return { done: true };
  };
  const workers = [runtime.tools.startWorker(), (await deployment.another()).tools.startWorker()];
  const id = await schedule(runtime);
  await Bun.sleep(26_000);
  const run = await ended(runtime, id);
  await Promise.all(workers.map((worker) => worker.stop()));

  expect([run.execution_status, run.attempts.length, catalog.runs]).toEqual(["completed", 1, 1]);
}, 60_000);
