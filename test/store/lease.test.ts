// Leases: one holder at a time, and no result is stored under a lost lease.
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import {
  type Lease,
  mainMigrations,
  openSqlite,
  query,
  releaseLease,
  type SqliteOptions,
  stillHeld,
  type Store,
  takeLease,
} from "../../src/store";
import { openLateStore } from "../support/late-store";
import { closedAfterTest, temporaryFolder } from "../support/temporary";

const TTL = 1000;
const FENCE = query<{ fence: number }>("SELECT fence FROM leases WHERE name = 'refresh'");
const engines: [string, (options: SqliteOptions) => Store][] = [
  ["sqlite", openSqlite],
  ["late engine", openLateStore],
];

describe.each(engines)("a lease on the %s", (_engine, open) => {
  const openNew = (): Store =>
    closedAfterTest(open({ file: join(temporaryFolder(), "runtime.db"), migrations: mainMigrations }));
  const take = (store: Store, holder: string, now: number): Promise<Lease | undefined> =>
    store.write(() => takeLease("refresh", holder, now, TTL));
  const taken = async (store: Store, holder: string, now: number): Promise<Lease> => {
    const lease = await take(store, holder, now);
    if (lease === undefined) throw new Error("another holder has the lease");
    return lease;
  };
  const held = (store: Store, lease: Lease): Promise<boolean> => store.write(() => stillHeld(lease));

  test("is taken by the first process", async () => {
    expect(await take(openNew(), "one", 0)).toEqual({ name: "refresh", holder: "one", fence: 1 });
  });

  test("is refused to all others, and to its holder, until it expires", async () => {
    const store = openNew();
    await take(store, "one", 0);

    expect([await take(store, "two", TTL - 1), await take(store, "one", TTL - 1)]).toEqual([
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

    expect(await store.write(() => takeLease("schedule", "two", 0, TTL))).toMatchObject({ holder: "two" });
  });

  test("goes to the next with a higher fence after it expires", async () => {
    const store = openNew();
    await take(store, "one", 0);

    expect(await take(store, "two", TTL)).toEqual({ name: "refresh", holder: "two", fence: 2 });
  });

  test("that was taken over is not held by its first holder", async () => {
    const store = openNew();
    const first = await taken(store, "one", 0);
    const before = await held(store, first);
    const second = await taken(store, "two", TTL);

    expect([before, await held(store, first), await held(store, second)]).toEqual([true, false, true]);
  });

  test("that its holder took again is not held under the earlier fence", async () => {
    const store = openNew();
    const first = await taken(store, "one", 0);
    await take(store, "one", TTL);

    expect(await held(store, first)).toBe(false);
  });

  test("that has expired is still held until another process takes it", async () => {
    const store = openNew();
    const lease = await taken(store, "one", 0);

    expect(await held(store, lease)).toBe(true);
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
    const second = await taken(store, "two", TTL);
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

  test("that expired a day ago is deleted for a new one; others stay, and so does one that is held", async () => {
    const store = openNew();
    const DAY = 24 * 3_600_000;
    const takeNamed = (name: string, now: number, ttl = TTL) =>
      store.write(() => takeLease(name, "one", now, ttl));
    const old = await takeNamed("old", 0);
    if (old !== undefined) await store.write(() => releaseLease(old));
    await takeNamed("held", 0, 3 * DAY);
    await takeNamed("late", DAY);

    await takeNamed("new", TTL + DAY + 1);

    const names = query<{ name: string }>("SELECT name FROM leases ORDER BY name");
    expect((await store.all(names)).map(({ name }) => name)).toEqual(["held", "late", "new"]);
  });

  test("with a holder is not deleted for a new one, however old it looks", async () => {
    const store = openNew();
    const lease = await taken(store, "one", 0);
    await store.write(() => takeLease("other", "two", 100 * 24 * 3_600_000, TTL));

    expect(await held(store, lease)).toBe(true);
  });

  test("has a fence that only grows", async () => {
    const store = openNew();
    const fences: (number | undefined)[] = [];
    for (let round = 0; round < 4; round++) {
      const lease = await taken(store, `holder ${round % 2}`, round * TTL);
      if (round % 2 === 0) await store.write(() => releaseLease(lease));
      fences.push((await store.get(FENCE))?.fence);
    }

    expect(fences).toEqual([1, 2, 3, 4]);
  });
});
