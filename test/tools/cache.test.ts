// Caches of catalog tools: one per connection and token, bounded, and identical work done once.
import { describe, expect, test } from "bun:test";
import { ConnectionCaches } from "../../src/tools/cache";
import { MovableClock } from "./deployment";

function caches() {
  const clock = new MovableClock();
  return { clock, caches: new ConnectionCaches(clock) };
}

describe("a value", () => {
  test("is kept until it expires", () => {
    const { clock, caches: all } = caches();
    const cache = all.of("ac_1", 1);
    cache.set("key", { deep: true }, 1000);
    const before = cache.get("key");
    clock.move(1000);

    expect([before, cache.get("key")]).toEqual([{ deep: true }, undefined]);
  });

  test("is removed when the clock was set back, because it would expire too late", () => {
    const { clock, caches: all } = caches();
    const cache = all.of("ac_1", 1);
    clock.move(3600_000);
    cache.set("key", 1, 1000);
    clock.move(-3600_000);

    expect(cache.get("key")).toBeUndefined();
  });

  test("is replaced by a later one, and gone when deleted", () => {
    const cache = caches().caches.of("ac_1", 1);
    cache.set("key", 1, 1000);
    cache.set("key", 2, 1000);
    const replaced = cache.get<number>("key");
    cache.delete("key");

    expect([replaced, cache.get("key")]).toEqual([2, undefined]);
  });

  test("of a connection is not another's", () => {
    const { caches: all } = caches();
    all.of("ac_1", 1).set("key", "of the first", 1000);

    expect(all.of("ac_2", 1).get("key")).toBeUndefined();
    expect(all.of("ac_1", 1).get<string>("key")).toBe("of the first");
  });

  test.each([
    ["a newer", 2],
    ["an older", 0],
  ])("of a token is not visible to %s one", (_name, version) => {
    const { caches: all } = caches();
    all.of("ac_1", 1).set("key", "secret of the first token", 1000);

    expect(all.of("ac_1", version).get("key")).toBeUndefined();
    expect(all.of("ac_1", 1).get("key")).toBeUndefined();
  });

  test("that is lasting stays for a newer token of the same connection", () => {
    const { caches: all } = caches();
    all.of("ac_1", 1).lasting.set("key", "counted", 1000);

    expect(all.of("ac_1", 2).lasting.get<string>("key")).toBe("counted");
    expect(all.of("ac_1", 2).get("key")).toBeUndefined();
    expect(all.of("ac_2", 1).lasting.get("key")).toBeUndefined();
  });

  test("of a run without a grant is only visible to that run", () => {
    const { caches: all } = caches();
    all.none().set("key", 1, 1000);

    expect(all.none().get("key")).toBeUndefined();
  });
});

describe("the cache is limited", () => {
  test("by connections: the least recently used is removed first", () => {
    const { caches: all } = caches();
    for (let number = 0; number < 500; number++) all.of(`ac_${number}`, 1).set("key", number, 60_000);
    all.of("ac_0", 1);
    all.of("ac_500", 1);

    expect([all.of("ac_0", 1).get<number>("key"), all.of("ac_1", 1).get("key")]).toEqual([0, undefined]);
  });

  test("by time: a connection that was not used for an hour is removed", () => {
    const { clock, caches: all } = caches();
    all.of("ac_1", 1).set("key", 1, 24 * 3_600_000);
    clock.move(3_599_999);
    const before = all.of("ac_1", 1).get<number>("key");
    clock.move(3_600_000);
    all.of("ac_2", 1);

    expect([before, all.of("ac_1", 1).get("key")]).toEqual([1, undefined]);
  });

  test("by entries: expired ones are removed first", () => {
    const { clock, caches: all } = caches();
    const cache = all.of("ac_1", 1);
    cache.set("first", 1, 3_000_000);
    for (let number = 0; number < 99_998; number++) cache.set(`old ${number}`, number, 10);
    clock.move(10);
    for (let number = 0; number < 99_000; number++) cache.set(`new ${number}`, number, 3_000_000);

    expect([cache.get<number>("first"), cache.get("old 1")]).toEqual([1, undefined]);
  });

  test("by entries: the oldest is removed first", () => {
    const cache = caches().caches.of("ac_1", 1);
    for (let number = 0; number <= 100_000; number++) cache.set(`key ${number}`, number, 60_000);

    expect([cache.get("key 0"), cache.get<number>("key 1"), cache.get<number>("key 100000")]).toEqual([
      undefined,
      1,
      100_000,
    ]);
  });
});

describe("identical work", () => {
  test("is done once at a time, and its result is shared", async () => {
    const cache = caches().caches.of("ac_1", 1);
    let done = 0;
    const work = async (): Promise<number> => {
      await Bun.sleep(5);
      return ++done;
    };

    expect(await Promise.all([cache.once("key", work), cache.once("key", work)])).toEqual([1, 1]);
    expect(await cache.once("key", work)).toBe(2);
  });

  test("that fails fails for all waiting runs, and the next one starts it again", async () => {
    const cache = caches().caches.of("ac_1", 1);
    const fail = async (): Promise<number> => Promise.reject(new Error("no"));
    const both = await Promise.allSettled([cache.once("key", fail), cache.once("key", fail)]);

    expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(await cache.once("key", async () => 1)).toBe(1);
  });

  test("of another key or connection is other work", async () => {
    const { caches: all } = caches();
    const work = (value: number) => async (): Promise<number> => {
      await Bun.sleep(5);
      return value;
    };

    expect(
      await Promise.all([
        all.of("ac_1", 1).once("key", work(1)),
        all.of("ac_1", 1).once("other", work(2)),
        all.of("ac_2", 1).once("key", work(3)),
      ]),
    ).toEqual([1, 2, 3]);
  });
});
