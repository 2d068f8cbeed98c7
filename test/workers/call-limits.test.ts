// The limits of the calls of a worker.
import { expect, test } from "bun:test";
import { systemClock } from "../../src/base";
import { WorkerTurns } from "../../src/workers/call-limits";

/** A call that runs until it is ended. */
function held() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { call: () => promise, end: resolve };
}

const open = { signal: new AbortController().signal };

test("no more calls than its concurrency run at a time; the others wait in their order", async () => {
  const turns = new WorkerTurns(systemClock);
  const order: string[] = [];
  let running = 0;
  const call = async (name: string): Promise<void> => {
    order.push(name);
    running += 1;
    expect(running).toBeLessThanOrEqual(2);
    await new Promise<void>((resolve) => setImmediate(resolve));
    running -= 1;
  };
  const names = Array.from({ length: 20 }, (_, index) => String(index));
  await Promise.all(names.map((name) => turns.run("a", { concurrency: 2 }, open, () => call(name))));

  expect(order).toEqual(names);
});

test("the calls of one worker do not hold back those of another", async () => {
  const turns = new WorkerTurns(systemClock);
  const hanging = held();
  const running = turns.run("a", { concurrency: 1 }, open, hanging.call);

  expect(await turns.run("b", { concurrency: 1 }, open, () => Promise.resolve("done"))).toBe("done");
  hanging.end();
  await running;
});

test("a call that waits until its time is up fails, and the next one gets the place", async () => {
  const turns = new WorkerTurns(systemClock);
  const [running, end] = [held(), new AbortController()];
  const first = turns.run("a", { concurrency: 1 }, open, running.call);
  const late = turns.run("a", { concurrency: 1 }, end, () => Promise.resolve());
  end.abort();

  await expect(late).rejects.toMatchObject({ kind: "UPSTREAM_RUNTIME_RATE_LIMIT" });
  running.end();
  await first;
  expect(await turns.run("a", { concurrency: 1 }, open, () => Promise.resolve("next"))).toBe("next");
});

test("a minute has as many calls as its limit, failed ones counted", async () => {
  let now = 0;
  const turns = new WorkerTurns({ ...systemClock, monotonic: () => now });
  const run = () => turns.run("a", { per_minute: 2 }, open, () => Promise.reject(new Error("failed")));
  await expect(run()).rejects.toThrow("failed");
  now = 20_000;
  await expect(run()).rejects.toThrow("failed");

  await expect(run()).rejects.toMatchObject({
    kind: "UPSTREAM_RUNTIME_RATE_LIMIT",
    details: { retryAfterMs: 40_000 },
  });
  now = 60_000;
  await expect(run()).rejects.toThrow("failed");
});
