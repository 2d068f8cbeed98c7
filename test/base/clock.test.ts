// Time: sleeping that ends early without an error, and timestamps.
import { describe, expect, test } from "bun:test";
import { systemClock, timestamp } from "../../src/base";

/** Longer than a test may take. */
const LONG = 60_000;

describe("sleep", () => {
  test("lasts as long as requested", async () => {
    const order: string[] = [];
    const sleep = (ms: number): Promise<unknown> => systemClock.sleep(ms).then(() => order.push(`${ms} ms`));
    await Promise.all([sleep(300), sleep(20)]);

    expect(order).toEqual(["20 ms", "300 ms"]);
  });

  test("ends immediately, without an error, when its signal aborts", async () => {
    const abort = new AbortController();
    const slept = systemClock.sleep(LONG, abort.signal);
    abort.abort();

    expect(await slept).toBeUndefined();
  });

  test("does not start if its signal is already aborted", async () => {
    expect(await systemClock.sleep(LONG, AbortSignal.abort())).toBeUndefined();
  });
});

test.each([
  [0, "1970-01-01T00:00:00Z"],
  [1_767_323_045_999, "2026-01-02T03:04:05Z"],
])("the timestamp of %d is %s: UTC, whole seconds", (ms, expected) => {
  expect(timestamp(ms)).toBe(expected);
});
