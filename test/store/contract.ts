// The contract of the store port. `store.test.ts` runs it for each engine.
import { describe, expect, test } from "bun:test";
import { get, query, run, type SqliteOptions, type Store, touch } from "../../src/store";
import { changesContract } from "./contract-changes";
import { failuresContract } from "./contract-failures";
import { keptContract } from "./contract-kept";
import { sentContract } from "./contract-sent";
import { FIND, increment, INSERT_BELOW, insert, LIST, listIds, migrations } from "./notes";
import { engine, newFile } from "./opening";

export function storeContract(name: string, open: (options: SqliteOptions) => Store): void {
  const stores = engine(open);
  const idsOf = async (store: Store): Promise<string[]> => (await store.all(LIST)).map(({ id }) => id);

  describe(`${name}: reads and writes`, () => {
    test("a read finds the first row", async () => {
      const store = stores.new();
      await store.write(() => insert("a", 1));

      expect(await store.get(FIND, "a")).toEqual({ id: "a", number: 1 });
    });

    test("a read without a match returns undefined", async () => {
      expect(await stores.new().get(FIND, "a")).toBeUndefined();
    });

    test("a list returns all rows in order", async () => {
      const store = stores.new();
      await store.write(() => insert("b", 2));
      await store.write(() => insert("a", 1));

      expect(await store.all(LIST)).toEqual([
        { id: "a", number: 1 },
        { id: "b", number: 2 },
      ]);
    });

    test("text with a quote, a NUL and letters of two alphabets is stored unchanged", async () => {
      const store = stores.new();
      const id = `it's "x"\u0000 ключ 🔑`;
      await store.write(() => insert(id, 1));

      expect((await store.get(FIND, id))?.id).toBe(id);
    });

    test("a caller reads its own write, even if the same turn has read before", async () => {
      const store = stores.new();
      const before = store.get(FIND, "a");
      const written = store.write(() => insert("a", 1));
      const queued = store.get(LIST);
      await written;
      const after = store.get(FIND, "a");

      // A read that is on its way may be answered before or after the commit.
      expect([undefined, { id: "a", number: 1 }]).toContainEqual(await before);
      expect(await after).toEqual({ id: "a", number: 1 });
      await queued;
    });

    test("a caller reads the generation of its own touch, even if the same turn has read the old one", async () => {
      const store = stores.new();
      const written = store.write(() => touch("keys"));
      const queued = store.generation("keys");
      await written;
      const after = store.generation("keys");
      await queued;

      expect(await after).toBe(1);
    });

    test("another instance on the file reads acknowledged writes", async () => {
      const [one, other] = stores.two();
      await one.write(() => insert("a", 1));

      expect(await idsOf(other)).toEqual(["a"]);
    });

    test("a write returns the result of its body", async () => {
      expect(await stores.new().write(() => insert("a", 1))).toBe(1);
    });

    test("a body sees its own rows before the commit", async () => {
      const seen = await stores.new().write(function* () {
        yield* insert("a", 1);
        return yield* listIds();
      });

      expect(seen).toEqual(["a"]);
    });

    test("a body sees the rows of a write that was queued before it", async () => {
      const store = stores.new();
      void store.write(() => insert("a", 1));

      expect(await store.write(listIds)).toEqual(["a"]);
    });

    test("a row with a broken reference is refused", async () => {
      const store = stores.new();
      const written = store.write(() => run(INSERT_BELOW, "a", 1, "nobody"));

      await expect(written).rejects.toThrow(/foreign key/i);
      expect(await idsOf(store)).toEqual([]);
    });
  });

  describe(`${name}: many writers`, () => {
    test("read-then-write transactions of two instances lose no increment", async () => {
      const [one, other] = stores.two();
      await one.write(() => insert("counter", 0));
      await Promise.all(
        [one, other].map(async (store) => {
          for (let round = 0; round < 20; round++) await store.write(() => increment("counter"));
        }),
      );

      expect((await one.get(FIND, "counter"))?.number).toBe(40);
    });
  });

  describe(`${name}: the check`, () => {
    test("of an open database resolves", async () => {
      const store = stores.new();
      await store.write(() => insert("a", 1));

      expect(await store.check()).toBeUndefined();
    });

    test("of a closed database rejects", async () => {
      const store = stores.new();
      await store.close();

      await expect(store.check()).rejects.toThrow();
    });
  });

  describe(`${name}: closing`, () => {
    test("waits for queued writes", async () => {
      const file = newFile();
      const store = open({ file, migrations });
      const written = [1, 2, 3].map((number) => store.write(() => insert(`n${number}`, number)));
      await store.close();

      expect(await Promise.all(written)).toEqual([1, 1, 1]);
      expect(await idsOf(stores.at(file))).toEqual(["n1", "n2", "n3"]);
    });

    test("a later read is refused as unavailable, and so is a generation", async () => {
      const store = stores.new();
      await store.close();
      const reading = async () => store.get(FIND, "a");
      const asking = async () => store.generation("keys");

      for (const refused of [reading, asking]) {
        expect(await refused().catch((error: unknown) => error)).toMatchObject({ name: "unavailable" });
      }
    });

    test("a later write is refused as unavailable", async () => {
      const store = stores.new();
      await store.close();

      await expect(store.write(() => insert("a", 1))).rejects.toMatchObject({ name: "unavailable" });
    });

    test("may be called twice", async () => {
      const store = stores.new();
      await store.close();

      expect(await store.close()).toBeUndefined();
    });
  });

  describe(`${name}: steps`, () => {
    test("an update returns the number of changed rows", async () => {
      const store = stores.new();
      await store.write(() => insert("a", 1));
      const remove = query("DELETE FROM notes WHERE id = ?");

      const changed = await store.write(function* () {
        return [yield* run(remove, "a"), yield* run(remove, "a")];
      });

      expect(changed).toEqual([1, 0]);
    });

    test("a step without a match returns undefined", async () => {
      expect(await stores.new().write(() => get(FIND, "a"))).toBeUndefined();
    });
  });

  failuresContract(name, open);
  changesContract(name, open);
  sentContract(name, open);
  keptContract(name, open);
}
