// The contract of the store port, part two: generations, waiting for changes, and the caches.
import { describe, expect, test } from "bun:test";
import { notFound } from "../../src/errors";
import { CachedByGeneration, query, type SqliteOptions, type Store, touch } from "../../src/store";
import { FIND, increment, insert } from "./notes";
import { engine, nextTurn } from "./opening";

const STORED = query<{ value: number }>("SELECT value FROM generations WHERE kind = ?");

/** Random numbers below `below`, the same in every run. */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

export function changesContract(name: string, open: (options: SqliteOptions) => Store): void {
  const stores = engine(open);

  describe(`${name}: generations`, () => {
    test("start at 0", async () => {
      expect(await stores.new().generation("keys")).toBe(0);
    });

    test("a touch raises only its own kind", async () => {
      const store = stores.new();
      await store.write(() => touch("keys"));

      expect([await store.generation("keys"), await store.generation("providers")]).toEqual([1, 0]);
    });

    test("a touch is seen by another instance that had read before", async () => {
      const [one, other] = stores.two();
      const before = await other.generation("keys");
      await one.write(() => touch("keys"));
      await nextTurn();

      expect([before, await other.generation("keys")]).toEqual([0, 1]);
    });

    test("touches of one turn raise their kinds, and no others", async () => {
      const store = stores.new();
      await Promise.all([
        store.write(() => touch("keys")),
        store.write(function* () {
          yield* touch("keys");
          yield* touch("secrets");
        }),
        store.write(() => touch("keys")),
      ]);
      const [keys, secrets] = [await store.generation("keys"), await store.generation("secrets")];

      expect([keys > 0, secrets > 0, await store.generation("providers")]).toEqual([true, true, 0]);
    });

    test("a touch in a body that throws raises nothing", async () => {
      const store = stores.new();
      const written = store.write(function* () {
        yield* touch("keys");
        throw notFound("The note does not exist.");
      });

      await expect(written).rejects.toThrow();
      expect(await store.generation("keys")).toBe(0);
    });

    // An instance counts its own touches and reads those of others. It must miss neither.
    test("two instances that touch alternately and concurrently return the stored generation", async () => {
      const [one, other] = stores.two();
      const kinds = ["keys", "secrets", "providers"] as const;
      const random = seeded(7);
      for (let round = 0; round < 150; round++) {
        const writes = Array.from({ length: 1 + random(3) }, () => {
          const kind = kinds[random(kinds.length)] ?? "keys";
          const fails = random(5) === 0;
          return (random(2) === 0 ? one : other).write(function* () {
            yield* touch(kind);
            if (fails) throw notFound("The note does not exist.");
          });
        });
        const settled = Promise.allSettled(writes);
        if (random(2) === 0) await one.generation("keys");
        await settled;
        if (random(2) === 0) await nextTurn();
        const generations = async (store: Store) => Promise.all(kinds.map((kind) => store.generation(kind)));
        const stored = await Promise.all(
          kinds.map(async (kind) => (await other.get(STORED, kind))?.value ?? -1),
        );
        await nextTurn();

        expect([round, await generations(one), await generations(other)]).toEqual([round, stored, stored]);
      }
    });
  });

  describe(`${name}: waiting for a change`, () => {
    /** Longer than a test may take, so a test that ends shows that something ended the wait. */
    const LONG = 60_000;

    test("returns at once if the generation has already changed", async () => {
      const store = stores.new();
      await store.write(() => touch("authorizations"));
      await store.changed("authorizations", 0, { timeoutMs: LONG });

      expect(await store.generation("authorizations")).toBe(1);
    });

    test("a commit of the same instance wakes a waiter within a few turns, before any poll", async () => {
      const store = stores.new();
      let woken = false;
      void store.changed("authorizations", 0, { timeoutMs: LONG }).then(() => (woken = true));
      await nextTurn();
      await store.write(() => touch("authorizations"));
      for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));

      expect(woken).toBe(true);
    });

    test("a commit of another instance wakes a waiter", async () => {
      const [one, other] = stores.two();
      const woken = other.changed("authorizations", 0, { timeoutMs: LONG });
      await nextTurn();
      await one.write(() => touch("authorizations"));
      await woken;

      expect(await other.generation("authorizations")).toBe(1);
    });

    test("every waiter of the kind wakes", async () => {
      const store = stores.new();
      const waiters = [1, 2, 3].map(() => store.changed("authorizations", 0, { timeoutMs: LONG }));
      await nextTurn();
      await store.write(() => touch("authorizations"));

      expect(await Promise.all(waiters)).toHaveLength(3);
    });

    test("a change of another kind does not wake a waiter", async () => {
      const store = stores.new();
      const order: string[] = [];
      const waiting = store.changed("authorizations", 0, { timeoutMs: LONG });
      const woken = waiting.then(() => order.push("authorizations"));
      const other = store.changed("keys", 0, { timeoutMs: LONG }).then(() => order.push("keys"));
      await nextTurn();
      await store.write(() => touch("keys"));
      await other;
      expect(order).toEqual(["keys"]);
      await store.write(() => touch("authorizations"));
      await woken;

      expect(order).toEqual(["keys", "authorizations"]);
    });

    test("a wait ends by its time", async () => {
      const store = stores.new();
      const order: string[] = [];
      const wait = async (timeoutMs: number): Promise<void> => {
        await store.changed("authorizations", 0, { timeoutMs });
        order.push(`${timeoutMs} ms`);
      };
      await Promise.all([wait(300), wait(20)]);

      expect(order).toEqual(["20 ms", "300 ms"]);
    });

    test("an abort ends the wait", async () => {
      const store = stores.new();
      const abort = new AbortController();
      const waiting = store.changed("authorizations", 0, { timeoutMs: LONG, signal: abort.signal });
      await nextTurn();
      abort.abort();

      expect(await waiting).toBeUndefined();
    });

    test("an aborted signal ends the wait at once", async () => {
      const store = stores.new();
      const wait = { timeoutMs: LONG, signal: AbortSignal.abort() };

      expect(await store.changed("authorizations", 0, wait)).toBeUndefined();
    });

    test("closing the store wakes all waiters", async () => {
      const store = stores.new();
      const waiting = store.changed("authorizations", 0, { timeoutMs: LONG });
      await nextTurn();
      await store.close();

      expect(await waiting).toBeUndefined();
    });
  });

  describe(`${name}: a cache by generation`, () => {
    const numberOf = (store: Store) => async (id: string) => (await store.get(FIND, id))?.number;

    test("loads once while nothing changes", async () => {
      const store = stores.new();
      await store.write(() => insert("a", 1));
      const cache = new CachedByGeneration<string, number | undefined>(store, "keys");
      await cache.get("a", numberOf(store));

      expect(await cache.get("a", () => 99)).toBe(1);
    });

    test("loads again after another instance's touch", async () => {
      const [one, other] = stores.two();
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

    test("shows a value without loading it, as long as it is valid", async () => {
      const store = stores.new();
      const cache = new CachedByGeneration<string, number>(store, "keys");
      const before = await cache.peek("a");
      await cache.get("a", () => 1);
      const valid = await cache.peek("a");
      await store.write(() => touch("keys"));

      expect([before, valid, await cache.peek("a")]).toEqual([undefined, 1, undefined]);
    });

    test("a touch of another kind does not empty it", async () => {
      const store = stores.new();
      const cache = new CachedByGeneration<string, number>(store, "keys");
      await cache.get("a", () => 1);
      await store.write(() => touch("providers"));

      expect(await cache.get("a", () => 2)).toBe(1);
    });

    test("caches undefined too", async () => {
      const store = stores.new();
      const cache = new CachedByGeneration<string, number | undefined>(store, "keys");
      await cache.get("a", numberOf(store));

      expect(await cache.get("a", () => 99)).toBeUndefined();
    });

    test("a value that was loaded during a change is used but not cached", async () => {
      const store = stores.new();
      const cache = new CachedByGeneration<string, string>(store, "keys");
      const loaded = await cache.get("a", async () => {
        await store.write(() => touch("keys"));
        return "stale";
      });

      expect([loaded, await cache.get("a", () => "fresh")]).toEqual(["stale", "fresh"]);
    });

    test("a value that was loaded late does not reappear after others have seen the change", async () => {
      const store = stores.new();
      const cache = new CachedByGeneration<string, string>(store, "keys");
      const gate = Promise.withResolvers<string>();
      const loading = Promise.withResolvers<void>();
      const late = cache.get("a", () => {
        loading.resolve();
        return gate.promise;
      });
      await loading.promise;
      await store.write(() => touch("keys"));
      await cache.get("a", () => "fresh");
      gate.resolve("stale");

      expect([await late, await cache.get("a", () => "unused")]).toEqual(["stale", "fresh"]);
    });

    test("an error of a load is not cached", async () => {
      const store = stores.new();
      const cache = new CachedByGeneration<string, number>(store, "keys");
      const failed = cache.get("a", () => Promise.reject(notFound("The note does not exist.")));

      await expect(failed).rejects.toThrow("The note does not exist.");
      expect(await cache.get("a", () => 1)).toBe(1);
    });

    test("above its limit it is emptied", async () => {
      const store = stores.new();
      const cache = new CachedByGeneration<string, number>(store, "keys", 2);
      for (const key of ["a", "b", "c"]) await cache.get(key, () => 1);

      expect([await cache.get("a", () => 2), await cache.get("c", () => 2)]).toEqual([2, 1]);
    });
  });
}
