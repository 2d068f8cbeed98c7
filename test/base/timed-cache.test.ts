// The cache in memory: entries expire, and the oldest one makes room for a new one.
import { expect, test } from "bun:test";
import { systemClock, TimedCache } from "../../src/base";

function cacheAt(time: { now: number }, maxEntries: number): TimedCache<string, number> {
  return new TimedCache({ ...systemClock, now: () => time.now }, 1000, maxEntries);
}

test("returns a value until its time to live has passed", () => {
  const time = { now: 5000 };
  const cache = cacheAt(time, 10);
  cache.set("a", 1);

  time.now = 5999;
  expect(cache.get("a")).toBe(1);
  time.now = 6000;
  expect(cache.get("a")).toBeUndefined();
});

test("does not return a value after the clock was set back", () => {
  const time = { now: 5000 };
  const cache = cacheAt(time, 10);
  cache.set("a", 1);

  time.now = 4999;
  expect(cache.get("a")).toBeUndefined();
});

test("an entry can have an age and a time to live of its own", () => {
  const time = { now: 5000 };
  const cache = cacheAt(time, 10);
  cache.set("a", 1, 4900, 200);

  time.now = 5099;
  expect(cache.get("a")).toBe(1);
  time.now = 5100;
  expect(cache.get("a")).toBeUndefined();
});

test("drops the oldest entry when it is full; a replaced entry counts as new", () => {
  const cache = cacheAt({ now: 0 }, 2);
  cache.set("a", 1);
  cache.set("b", 2);
  cache.set("a", 3);
  cache.set("c", 4);

  expect([cache.get("a"), cache.get("b"), cache.get("c")]).toEqual([3, undefined, 4]);
});

test("forgets a deleted entry", () => {
  const cache = cacheAt({ now: 0 }, 2);
  cache.set("a", 1);
  cache.delete("a");

  expect(cache.get("a")).toBeUndefined();
});
