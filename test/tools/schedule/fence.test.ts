// The fence of a scheduled run: who acts on what he read before somebody else changed it changes nothing.
import { afterEach, beforeEach, expect, test } from "bun:test";
import type { Store } from "../../../src/store";
import { dueRuns } from "../../../src/tools/schedule/due-repository";
import * as repository from "../../../src/tools/schedule/repository";
import type { ListedRun } from "../../../src/tools/schedule/repository";
import { deploy, type Deployment } from "../deployment";
import { look, schedule } from "./scheduling";

const NOW = 2_000_000_000_000;
const LEASE = 15_000;
const END = { now: NOW, success: true, sealedOutput: null, systemError: null };
const COMPLETED = { status: "completed", toolkitVersion: "1.2.3" } as const;

let deployment: Deployment;
let store: Store;
let id: string;
beforeEach(async () => {
  deployment = await deploy();
  ({ store } = deployment.runtime.core);
  id = await schedule(deployment.runtime);
});
afterEach(() => deployment[Symbol.asyncDispose]());

async function read(at = NOW): Promise<ListedRun> {
  const [run] = [...(await dueRuns(store, at, 10)), ...(await repository.runningRuns(store, 10))];
  if (run === undefined) throw new Error("nothing is due");
  return run;
}

let attempts = 0;
function claim(run: ListedRun, holder: string, now = NOW): Promise<ListedRun | undefined> {
  const lease = { holder, now, leaseUntil: now + LEASE, attemptId: `ta_${attempts++}` };
  return store.write(() => repository.claimRun(run, lease, "cut off"));
}

async function claimed(holder: string, now = NOW): Promise<ListedRun> {
  const run = await claim(await read(now), holder, now);
  if (run === undefined) throw new Error("it was not free");
  return run;
}

const status = async () => (await look(deployment.runtime, id)).execution_status;

test("only one of two workers claims the same run", async () => {
  const run = await read();
  const claims = await Promise.all([claim(run, "one"), claim(run, "other")]);

  expect(claims.filter((one) => one !== undefined)).toHaveLength(1);
  expect((await look(deployment.runtime, id)).attempts).toHaveLength(1);
});

test("a lease that was renewed after it was read cannot be claimed or ended", async () => {
  const mine = await claimed("one");
  const seen = await read(NOW + LEASE);
  await store.write(() => repository.extendLease(mine, NOW + 2 * LEASE));

  expect(await claim(seen, "other", NOW + LEASE)).toBeUndefined();
  expect(await store.write(() => repository.giveUpRun(seen, END))).toBe(false);
  expect(await status()).toBe("running");
  expect(await store.write(() => repository.endAttempt(mine, END, COMPLETED))).toBe(true);
  expect(await status()).toBe("completed");
});

test("a run that ended after it was read cannot be claimed or ended", async () => {
  const mine = await claimed("one");
  const seen = await read(NOW + LEASE);
  await store.write(() => repository.endAttempt(mine, END, COMPLETED));

  expect(await claim(seen, "other", NOW + LEASE)).toBeUndefined();
  expect(await store.write(() => repository.giveUpRun(seen, END))).toBe(false);
  expect(await status()).toBe("completed");
});

test("a former holder can neither renew the lease nor end or retry the run", async () => {
  const old = await claimed("one");
  const mine = await claimed("other", NOW + LEASE);
  await store.write(() => repository.extendLease(old, NOW + 100 * LEASE));

  expect(await store.write(() => repository.endAttempt(old, END, COMPLETED))).toBe(false);
  expect(await store.write(() => repository.endAttempt(old, END, { dueAt: NOW }))).toBe(false);
  expect((await read(NOW + 2 * LEASE)).fence).toBe(mine.fence);
  expect(await status()).toBe("running");
  const run = await look(deployment.runtime, id);
  expect(run.attempts.map(({ system_error_message }) => system_error_message)).toEqual([
    "cut off",
    undefined,
  ]);
});

test("a run that was cancelled after it was read cannot be claimed", async () => {
  const seen = await read();
  expect(await store.write(() => repository.cancelRun(seen, NOW))).toBe(true);

  expect(await claim(seen, "one")).toBeUndefined();
  expect(await status()).toBe("cancelled");
});

test("a run that is claimed cannot be cancelled", async () => {
  const mine = await claimed("one");

  expect(await store.write(() => repository.cancelRun(mine, NOW))).toBe(false);
  expect(await store.write(() => repository.endAttempt(mine, END, COMPLETED))).toBe(true);
  expect(await status()).toBe("completed");
});

test("a run that waits for its next attempt can be cancelled", async () => {
  const mine = await claimed("one");
  await store.write(() => repository.endAttempt(mine, END, { dueAt: NOW }));
  const seen = await read();
  expect(await store.write(() => repository.cancelRun(seen, NOW))).toBe(true);

  expect(await claim(seen, "other")).toBeUndefined();
  expect(await status()).toBe("cancelled");
});

test("a lost run is ended once", async () => {
  await claimed("one");
  const seen = await read(NOW + LEASE);
  const endings = await Promise.all(
    [1, 2].map(() => store.write(() => repository.giveUpRun(seen, { ...END, systemError: "lost" }))),
  );

  expect(endings.toSorted()).toEqual([false, true]);
  expect(await status()).toBe("failed");
});
