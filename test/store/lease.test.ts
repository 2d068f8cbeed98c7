// Leases: one holder at a time, and no result is stored under a lost lease.
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { systemClock } from "../../src/base";
import {
  DEAD_AFTER_MS,
  DeletionTime,
  extendLease,
  isFirst,
  type Lease,
  LeaseLost,
  Leases,
  mainMigrations,
  openSqlite,
  query,
  releaseLease,
  type SqliteOptions,
  stillHeld,
  type Store,
  sweepLeases,
  takeLease,
} from "../../src/store";
import { openLateStore } from "../support/late-store";
import { MovableClock } from "../tools/deployment";
import { closedAfterTest, temporaryFolder } from "../support/temporary";

const LATER = 1000;
const DAY = 24 * 3_600_000;
const FENCE = query<{ fence: number }>("SELECT fence FROM leases WHERE name = 'refresh'");
const engines: [string, (options: SqliteOptions) => Store][] = [
  ["sqlite", openSqlite],
  ["late engine", openLateStore],
];

describe.each(engines)("a lease on the %s", (_engine, open) => {
  const openNew = (): Store =>
    closedAfterTest(open({ file: join(temporaryFolder(), "runtime.db"), migrations: mainMigrations }));
  const take = (store: Store, holder: string, now: number, dead?: string): Promise<Lease | undefined> =>
    store.write(() => takeLease("refresh", holder, now, dead));
  const taken = async (store: Store, holder: string, now: number, dead?: string): Promise<Lease> => {
    const lease = await take(store, holder, now, dead);
    if (lease === undefined) throw new Error("another holder has the lease");
    return lease;
  };
  const state = async (store: Store): Promise<string | undefined> =>
    (await new Leases(store, systemClock, "another").look("refresh")).state;
  const held = (store: Store, lease: Lease): Promise<boolean> => store.write(() => stillHeld(lease));

  test("is taken by the first process", async () => {
    expect(await take(openNew(), "one", 0)).toEqual({ name: "refresh", holder: "one", fence: 1 });
  });

  test("is refused to all others, and to its holder, whatever the clock says", async () => {
    const store = openNew();
    await take(store, "one", 0);

    expect([await take(store, "two", 100 * DAY), await take(store, "one", -100 * DAY)]).toEqual([
      undefined,
      undefined,
    ]);
  });

  test("goes to one of many concurrent requests", async () => {
    const store = openNew();
    const answers = await Promise.all(["one", "two", "three"].map((holder) => take(store, holder, 0)));

    expect(answers.filter((lease) => lease !== undefined)).toHaveLength(1);
  });

  test("with another name is independent", async () => {
    const store = openNew();
    await take(store, "one", 0);

    expect(await store.write(() => takeLease("schedule", "two", 0))).toMatchObject({ holder: "two" });
  });

  test("of a dead holder goes to the next with a higher fence", async () => {
    const store = openNew();
    await take(store, "one", 0);

    expect(await take(store, "two", LATER, await state(store))).toEqual({
      name: "refresh",
      holder: "two",
      fence: 2,
    });
  });

  test("is not taken if a heartbeat came after the holder was seen", async () => {
    const store = openNew();
    const lease = await taken(store, "one", 0);
    const seen = await state(store);
    await store.write(() => extendLease(lease, LATER));

    expect(await take(store, "two", LATER, seen)).toBeUndefined();
  });

  test("that was taken over is not held by its first holder", async () => {
    const store = openNew();
    const first = await taken(store, "one", 0);
    const before = await held(store, first);
    const second = await taken(store, "two", LATER, await state(store));

    expect([before, await held(store, first), await held(store, second)]).toEqual([true, false, true]);
  });

  test("that its holder took again is not held under the earlier fence", async () => {
    const store = openNew();
    const first = await taken(store, "one", 0);
    await take(store, "one", LATER, await state(store));

    expect(await held(store, first)).toBe(false);
    expect(await store.write(() => extendLease(first, LATER))).toBe(0);
  });

  test("that was released is free at once, with a higher fence", async () => {
    const store = openNew();
    const lease = await taken(store, "one", 0);
    await store.write(() => releaseLease(lease));

    expect(await held(store, lease)).toBe(false);
    expect(await take(store, "two", 1)).toMatchObject({ holder: "two", fence: 2 });
  });

  test("cannot be released by a former holder", async () => {
    const store = openNew();
    const first = await taken(store, "one", 0);
    const second = await taken(store, "two", LATER, await state(store));
    await store.write(() => releaseLease(first));

    expect(await held(store, second)).toBe(true);
  });

  test("wakes waiters when it is released", async () => {
    const store = openNew();
    const lease = await taken(store, "one", 0);
    const before = await store.generation("leases");
    await store.write(() => releaseLease(lease));

    expect(await store.generation("leases")).toBe(before + 1);
  });

  test("that was never taken is not held", async () => {
    expect(await held(openNew(), { name: "refresh", holder: "one", fence: 1 })).toBe(false);
  });

  test("that expired a day ago is deleted; others stay, and so does one that is held", async () => {
    const store = openNew();
    const takeNamed = (name: string, now: number) => store.write(() => takeLease(name, "one", now));
    const old = await takeNamed("old", 0);
    if (old !== undefined) await store.write(() => releaseLease(old));
    await takeNamed("held", 0);
    const late = await takeNamed("late", DAY);
    if (late !== undefined) await store.write(() => releaseLease(late));

    await store.write(() => sweepLeases(DAY + DEAD_AFTER_MS + 1));

    const names = query<{ name: string }>("SELECT name FROM leases ORDER BY name");
    expect((await store.all(names)).map(({ name }) => name)).toEqual(["held", "late"]);
  });

  test("that only says that a name has come is kept while the clock runs far ahead", async () => {
    const store = openNew();
    const clock = new MovableClock();
    const [time, until] = [new DeletionTime(clock), clock.now()];
    const isNew = (name: string) => store.write(() => isFirst(name, time.now(), until));
    expect(await isNew("code")).toBe(true);
    clock.jump(40 * DAY);
    expect(await isNew("another code")).toBe(true);

    expect(await isNew("code")).toBe(false);
  });

  test("with a holder is not deleted, however old it looks", async () => {
    const store = openNew();
    const lease = await taken(store, "one", 0);
    await store.write(() => sweepLeases(100 * DAY));

    expect(await held(store, lease)).toBe(true);
  });

  test("has a fence that only grows", async () => {
    const store = openNew();
    const fences: (number | undefined)[] = [];
    for (let round = 0; round < 4; round++) {
      const lease = await taken(store, `holder ${round % 2}`, round * LATER, await state(store));
      if (round % 2 === 0) await store.write(() => releaseLease(lease));
      fences.push((await store.get(FENCE))?.fence);
    }

    expect(fences).toEqual([1, 2, 3, 4]);
  });
});

describe("a holder of a lease", () => {
  /** A lease of one process, a clock that both share, and the look of another process. */
  async function watched() {
    const folder = temporaryFolder();
    const open = (): Store =>
      closedAfterTest(openSqlite({ file: join(folder, "runtime.db"), migrations: mainMigrations }));
    const [store, other] = [open(), open()];
    const time = { wall: 0, monotonic: 0 };
    const clock = { ...systemClock, now: () => time.wall, monotonic: () => time.monotonic };
    const mine = new Leases(store, clock, "one");
    const theirs = new Leases(other, clock, "two");
    const free = { state: undefined, isDead: false };
    const taken = await store.write(() => mine.take("refresh", free));
    if (taken === undefined) throw new Error("another holder has the lease");
    const held = mine.held(taken);
    held.stop();
    const pass = async (ms: number, each: () => Promise<void> = async () => undefined) => {
      for (let passed = 0; passed < ms; passed += 4000) {
        time.wall += 4000;
        time.monotonic += 4000;
        await each();
        await theirs.look("refresh");
      }
    };
    const takes = async () => {
      const seen = await theirs.look("refresh");
      return (await other.write(() => theirs.take("refresh", seen))) !== undefined;
    };
    return { time, held, pass, takes, theirs, other };
  }

  test("keeps it as long as its heart beats", async () => {
    const { held, pass, takes } = await watched();
    await pass(120_000, () => held.renew());

    expect(await takes()).toBe(false);
    expect(held.isFresh).toBe(true);
  });

  test("loses it 15 s after its last heartbeat, and notices that before it does anything", async () => {
    const { held, pass, takes } = await watched();
    await pass(8000);
    const early = await takes();
    await pass(12_000);

    expect([early, await takes()]).toEqual([false, true]);
    expect(held.isFresh).toBe(false);
    await expect(held.check()).rejects.toBeInstanceOf(LeaseLost);
  });

  test.each([
    ["forward", 100 * DAY],
    ["back", -100 * DAY],
  ])("neither loses nor keeps it because the clock is set %s", async (_where, ms) => {
    const { time, pass, takes } = await watched();
    time.wall += ms;
    const early = await takes();
    await pass(20_000);

    expect([early, await takes()]).toEqual([false, true]);
  });

  test("was frozen together with the watcher: it keeps the lease", async () => {
    const { time, pass, takes } = await watched();
    await pass(8000);
    time.monotonic += 60_000;

    expect(await takes()).toBe(false);
  });

  test("may have waited for the lock as the taker did: it keeps the lease", async () => {
    const { time, pass, theirs, other } = await watched();
    await pass(20_000);
    const seen = await theirs.look("refresh");
    const taken = await other.write(() => {
      time.monotonic += 3000;
      return theirs.take("refresh", seen);
    });

    expect([seen.isDead, taken]).toEqual([true, undefined]);
  });

  test("that was frozen looks at its row before it goes on", async () => {
    const { time, held } = await watched();
    time.monotonic += 60_000;
    const before = held.isFresh;
    await held.check();

    expect([before, held.isFresh]).toEqual([false, true]);
  });
});
