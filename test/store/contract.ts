// What every engine of the store port owes its callers. Run by `store.test.ts` for each of them.
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { notFound } from "../../src/errors";
import {
  CachedByGeneration,
  get,
  query,
  run,
  type SqliteOptions,
  type Store,
  touch,
  UniqueViolation,
} from "../../src/store";
import { closedAfterTest, temporaryFolder } from "../support/temporary";
import { FIND, increment, INSERT, INSERT_BELOW, insert, LIST, listIds, migrations } from "./notes";

export function storeContract(name: string, open: (options: SqliteOptions) => Store): void {
  const openAt = (file: string): Store => closedAfterTest(open({ file, migrations }));
  const openNew = (): Store => openAt(join(temporaryFolder(), "notes.db"));
  const openTwo = (): [Store, Store] => {
    const file = join(temporaryFolder(), "notes.db");
    return [openAt(file), openAt(file)];
  };
  const idsOf = async (store: Store): Promise<string[]> => (await store.all(LIST)).map(({ id }) => id);

  describe(`${name}: reads and writes`, () => {
    test("a read finds the first row", async () => {
      const store = openNew();
      await store.write(() => insert("a", 1));

      expect(await store.get(FIND, "a")).toEqual({ id: "a", number: 1 });
    });

    test("a read that finds nothing gives undefined", async () => {
      expect(await openNew().get(FIND, "a")).toBeUndefined();
    });

    test("a list has every row in order", async () => {
      const store = openNew();
      await store.write(() => insert("b", 2));
      await store.write(() => insert("a", 1));

      expect(await store.all(LIST)).toEqual([
        { id: "a", number: 1 },
        { id: "b", number: 2 },
      ]);
    });

    test("text with a quote, a NUL and letters of two alphabets comes back as it went in", async () => {
      const store = openNew();
      const id = `it's "x"\u0000 ключ 🔑`;
      await store.write(() => insert(id, 1));

      expect((await store.get(FIND, id))?.id).toBe(id);
    });

    test("who waited for a write reads it, though the same turn read before it and after it was queued", async () => {
      const store = openNew();
      const before = store.get(FIND, "a");
      const written = store.write(() => insert("a", 1));
      const queued = store.get(LIST);
      await written;
      const after = store.get(FIND, "a");

      expect(await before).toBeUndefined();
      expect(await after).toEqual({ id: "a", number: 1 });
      await queued;
    });

    test("who waited for a touch reads the new generation, though the same turn had read the old one", async () => {
      const store = openNew();
      const written = store.write(() => touch("keys"));
      const queued = store.generation("keys");
      await written;
      const after = store.generation("keys");
      await queued;

      expect(await after).toBe(1);
    });

    test("another instance on the file reads what was acknowledged", async () => {
      const [one, other] = openTwo();
      await one.write(() => insert("a", 1));

      expect(await idsOf(other)).toEqual(["a"]);
    });

    test("a write answers what its body returns", async () => {
      expect(await openNew().write(() => insert("a", 1))).toBe(1);
    });

    test("a body sees its own rows before the commit", async () => {
      const seen = await openNew().write(function* () {
        yield* insert("a", 1);
        return yield* listIds();
      });

      expect(seen).toEqual(["a"]);
    });

    test("a body sees the rows of a write that was queued before it", async () => {
      const store = openNew();
      void store.write(() => insert("a", 1));

      expect(await store.write(listIds)).toEqual(["a"]);
    });

    test("a row that points at nothing is refused", async () => {
      const store = openNew();
      const written = store.write(() => run(INSERT_BELOW, "a", 1, "nobody"));

      await expect(written).rejects.toThrow(/FOREIGN KEY/);
      expect(await idsOf(store)).toEqual([]);
    });
  });

  describe(`${name}: a body that throws`, () => {
    test("its error reaches the caller as it was thrown", async () => {
      const refusal = notFound("There is no such note.");
      const written = openNew().write(function* () {
        yield* insert("a", 1);
        throw refusal;
      });

      expect(await written.catch((error: unknown) => error)).toBe(refusal);
    });

    test("its rows are gone, the rows of its turn's other writes are kept", async () => {
      const store = openNew();
      const written = await Promise.allSettled([
        store.write(() => insert("before", 1)),
        store.write(function* () {
          yield* insert("gone", 2);
          throw notFound("There is no such note.");
        }),
        store.write(() => insert("after", 3)),
      ]);

      expect(written.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
      expect(await idsOf(store)).toEqual(["before", "after"]);
    });

    test("a body that throws before its first step harms nobody", async () => {
      const store = openNew();
      const failed = store.write(() => {
        throw notFound("There is no such note.");
      });
      const kept = store.write(() => insert("a", 1));

      await expect(failed).rejects.toThrow("There is no such note.");
      expect(await kept).toBe(1);
    });

    test("a statement that is no SQL rejects its own write alone", async () => {
      const store = openNew();
      const failed = store.write(() => run(query("INSERT INTO nowhere VALUES (1)")));
      const kept = store.write(() => insert("a", 1));

      await expect(failed).rejects.toThrow(/nowhere/);
      expect(await kept).toBe(1);
    });
  });

  describe(`${name}: a key that exists`, () => {
    const twice: [string, string, number][] = [
      ["primary key", "a", 2],
      ["unique column", "b", 1],
    ];
    test.each(twice)(
      "a second row with the same %s rejects with UniqueViolation",
      async (_rule, id, number) => {
        const store = openNew();
        await store.write(() => insert("a", 1));

        await expect(store.write(() => insert(id, number))).rejects.toBeInstanceOf(UniqueViolation);
      },
    );

    test("the body may catch it and write something else", async () => {
      const store = openNew();
      await store.write(() => insert("a", 1));
      await store.write(function* () {
        yield* insert("kept", 2);
        try {
          yield* run(INSERT, "a", 3);
        } catch (error) {
          if (!(error instanceof UniqueViolation)) throw error;
          yield* insert("instead", 4);
        }
      });

      expect(await idsOf(store)).toEqual(["a", "kept", "instead"]);
    });

    test("of two writes of one turn with one key the first wins", async () => {
      const store = openNew();
      const [first, second] = await Promise.allSettled([
        store.write(() => insert("a", 1)),
        store.write(() => insert("a", 2)),
      ]);

      expect([first?.status, second?.status]).toEqual(["fulfilled", "rejected"]);
      expect(await store.get(FIND, "a")).toEqual({ id: "a", number: 1 });
    });
  });

  describe(`${name}: many writers`, () => {
    test("read-then-write bodies of two instances lose no increment", async () => {
      const [one, other] = openTwo();
      await one.write(() => insert("counter", 0));
      await Promise.all(
        [one, other].map(async (store) => {
          for (let round = 0; round < 20; round++) await store.write(() => increment("counter"));
        }),
      );

      expect((await one.get(FIND, "counter"))?.number).toBe(40);
    });
  });

  describe(`${name}: generations`, () => {
    test("start at 0", async () => {
      expect(await openNew().generation("keys")).toBe(0);
    });

    test("a touch raises its own kind alone", async () => {
      const store = openNew();
      await store.write(() => touch("keys"));

      expect([await store.generation("keys"), await store.generation("providers")]).toEqual([1, 0]);
    });

    test("a touch is seen by another instance that had read before", async () => {
      const [one, other] = openTwo();
      const before = await other.generation("keys");
      await one.write(() => touch("keys"));
      await nextTurn();

      expect([before, await other.generation("keys")]).toEqual([0, 1]);
    });

    test("a touch of a body that throws raises nothing", async () => {
      const store = openNew();
      const written = store.write(function* () {
        yield* touch("keys");
        throw notFound("There is no such note.");
      });

      await expect(written).rejects.toThrow();
      expect(await store.generation("keys")).toBe(0);
    });
  });

  describe(`${name}: waiting for a change`, () => {
    const LONG = 20_000;

    test("returns at once when the generation has moved on already", async () => {
      const store = openNew();
      await store.write(() => touch("authorizations"));

      expect(await timeOf(() => store.changed("authorizations", 0, { timeoutMs: LONG }))).toBeLessThan(1000);
    });

    test("a commit of the same instance wakes within a few turns, before any poll", async () => {
      const store = openNew();
      let woken = false;
      void store.changed("authorizations", 0, { timeoutMs: LONG }).then(() => (woken = true));
      await nextTurn();
      await store.write(() => touch("authorizations"));
      for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));

      expect(woken).toBe(true);
    });

    test("a commit of another instance wakes within half a second", async () => {
      const [one, other] = openTwo();
      const woken = other.changed("authorizations", 0, { timeoutMs: LONG });
      await nextTurn();
      await one.write(() => touch("authorizations"));

      expect(await timeOf(() => woken)).toBeLessThan(500);
    });

    test("every waiter of the kind wakes", async () => {
      const store = openNew();
      const waiters = [1, 2, 3].map(() => store.changed("authorizations", 0, { timeoutMs: LONG }));
      await nextTurn();
      await store.write(() => touch("authorizations"));

      expect(await timeOf(() => Promise.all(waiters))).toBeLessThan(1000);
    });

    test("a change of another kind wakes nobody: the wait ends by its time", async () => {
      const store = openNew();
      const elapsed = timeOf(() => store.changed("authorizations", 0, { timeoutMs: 200 }));
      await nextTurn();
      await store.write(() => touch("keys"));

      expect(await elapsed).toBeWithin(190, 2000);
    });

    test("an abort ends the wait", async () => {
      const store = openNew();
      const abort = new AbortController();
      const elapsed = timeOf(() =>
        store.changed("authorizations", 0, { timeoutMs: LONG, signal: abort.signal }),
      );
      await nextTurn();
      abort.abort();

      expect(await elapsed).toBeLessThan(1000);
    });

    test("a signal that was aborted before ends the wait at once", async () => {
      const store = openNew();
      const wait = { timeoutMs: LONG, signal: AbortSignal.abort() };

      expect(await timeOf(() => store.changed("authorizations", 0, wait))).toBeLessThan(1000);
    });

    test("closing the store wakes who waits", async () => {
      const store = openNew();
      const elapsed = timeOf(() => store.changed("authorizations", 0, { timeoutMs: LONG }));
      await nextTurn();
      await store.close();

      expect(await elapsed).toBeLessThan(1000);
    });
  });

  describe(`${name}: the check`, () => {
    test("of a database at work resolves", async () => {
      const store = openNew();
      await store.write(() => insert("a", 1));

      expect(await store.check()).toBeUndefined();
    });

    test("of a closed one rejects", async () => {
      const store = openNew();
      await store.close();

      await expect(store.check()).rejects.toThrow();
    });
  });

  describe(`${name}: closing`, () => {
    test("waits for the writes that were queued", async () => {
      const file = join(temporaryFolder(), "notes.db");
      const store = open({ file, migrations });
      const written = [1, 2, 3].map((number) => store.write(() => insert(`n${number}`, number)));
      await store.close();

      expect(await Promise.all(written)).toEqual([1, 1, 1]);
      expect(await idsOf(openAt(file))).toEqual(["n1", "n2", "n3"]);
    });

    test("a write afterwards is refused as unavailable", async () => {
      const store = openNew();
      await store.close();

      await expect(store.write(() => insert("a", 1))).rejects.toMatchObject({ name: "unavailable" });
    });

    test("may happen twice", async () => {
      const store = openNew();
      await store.close();

      expect(await store.close()).toBeUndefined();
    });
  });

  describe(`${name}: a cache by generation`, () => {
    const numberOf = (store: Store) => async (id: string) => (await store.get(FIND, id))?.number;

    test("asks once while nothing changes", async () => {
      const store = openNew();
      await store.write(() => insert("a", 1));
      const cache = new CachedByGeneration<string, number | undefined>(store, "keys");
      await cache.get("a", numberOf(store));

      expect(await cache.get("a", () => 99)).toBe(1);
    });

    test("asks again after another instance's touch", async () => {
      const [one, other] = openTwo();
      await one.write(() => insert("a", 1));
      const cache = new CachedByGeneration<string, number | undefined>(other, "keys");
      const before = await cache.get("a", numberOf(other));
      await one.write(function* () {
        yield* increment("a");
        yield* touch("keys");
      });
      await nextTurn();

      expect([before, await cache.get("a", numberOf(other))]).toEqual([1, 2]);
    });

    test("a touch of another kind leaves it alone", async () => {
      const store = openNew();
      const cache = new CachedByGeneration<string, number>(store, "keys");
      await cache.get("a", () => 1);
      await store.write(() => touch("providers"));

      expect(await cache.get("a", () => 2)).toBe(1);
    });

    test("that nothing was found is remembered too", async () => {
      const store = openNew();
      const cache = new CachedByGeneration<string, number | undefined>(store, "keys");
      await cache.get("a", numberOf(store));

      expect(await cache.get("a", () => 99)).toBeUndefined();
    });

    test("what was loaded while the kind changed is used but not kept", async () => {
      const store = openNew();
      const cache = new CachedByGeneration<string, string>(store, "keys");
      const loaded = await cache.get("a", async () => {
        await store.write(() => touch("keys"));
        return "stale";
      });

      expect([loaded, await cache.get("a", () => "fresh")]).toEqual(["stale", "fresh"]);
    });

    test("what was loaded late does not come back after others have seen the change", async () => {
      const store = openNew();
      const cache = new CachedByGeneration<string, string>(store, "keys");
      const gate = Promise.withResolvers<string>();
      const late = cache.get("a", () => gate.promise);
      await nextTurn();
      await store.write(() => touch("keys"));
      await cache.get("a", () => "fresh");
      gate.resolve("stale");

      expect([await late, await cache.get("a", () => "unused")]).toEqual(["stale", "fresh"]);
    });

    test("a load that throws is not remembered", async () => {
      const store = openNew();
      const cache = new CachedByGeneration<string, number>(store, "keys");
      const failed = cache.get("a", () => Promise.reject(notFound("There is no such note.")));

      await expect(failed).rejects.toThrow("There is no such note.");
      expect(await cache.get("a", () => 1)).toBe(1);
    });

    test("beyond its limit it starts over instead of growing", async () => {
      const store = openNew();
      const cache = new CachedByGeneration<string, number>(store, "keys", 2);
      for (const key of ["a", "b", "c"]) await cache.get(key, () => 1);

      expect([await cache.get("a", () => 2), await cache.get("c", () => 2)]).toEqual([2, 1]);
    });
  });

  describe(`${name}: steps`, () => {
    test("an update says how many rows it changed", async () => {
      const store = openNew();
      await store.write(() => insert("a", 1));
      const remove = query("DELETE FROM notes WHERE id = ?");

      const changed = await store.write(function* () {
        return [yield* run(remove, "a"), yield* run(remove, "a")];
      });

      expect(changed).toEqual([1, 0]);
    });

    test("a step that finds nothing gives undefined", async () => {
      expect(await openNew().write(() => get(FIND, "a"))).toBeUndefined();
    });
  });
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1));
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
