// The contract of the store port for statements whose answers a body does not use, and for queries that run together.
import { describe, expect, test } from "bun:test";
import {
  all,
  get,
  send,
  type SqliteOptions,
  type Store,
  together,
  type Transaction,
  UniqueViolation,
} from "../../src/store";
import { FIND, INSERT, insert, LIST, listIds, RENUMBER } from "./notes";
import { engine } from "./opening";

export function sentContract(name: string, open: (options: SqliteOptions) => Store): void {
  const stores = engine(open);
  const idsOf = async (store: Store): Promise<string[]> => (await store.all(LIST)).map(({ id }) => id);

  describe(`${name}: statements whose answers are not used`, () => {
    test("run in their order, and the body sees what they have changed", async () => {
      const store = stores.new();
      const seen = await store.write(function* () {
        yield* sent("a", 1);
        yield* send(RENUMBER, 2, "a");
        yield* sent("b", 1);
        return yield* all(LIST);
      });

      expect(seen).toEqual([
        { id: "b", number: 1 },
        { id: "a", number: 2 },
      ]);
      expect(await store.all(LIST)).toEqual(seen);
    });

    test.each<[string, () => Transaction<unknown>]>([
      ["the last one", () => sent("before", 9)],
      ["one before a query", () => then(sent("before", 9), listIds())],
      ["one before another that would succeed", () => then(sent("before", 9), sent("gone", 98))],
      ["one before another that fails, too", () => then(sent("before", 9), sent("before", 10))],
      ["one after a row of the same body", () => then(sent("gone", 98), sent("before", 9))],
    ])("if %s fails, only its own write is rejected", async (_which, refused) => {
      const store = stores.new();
      const written = await Promise.allSettled([
        store.write(() => sent("before", 1)),
        store.write(refused),
        store.write(() => sent("after", 2)),
        store.write(refused),
      ]);

      expect(written.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "rejected"]);
      for (const one of written)
        if (one.status === "rejected") expect(one.reason).toBeInstanceOf(UniqueViolation);
      expect(await idsOf(store)).toEqual(["before", "after"]);
    });

    test("the body may catch a failure and write something else", async () => {
      const store = stores.new();
      function* instead(id: string, number: number): Transaction<string> {
        try {
          yield* sent("a", number);
          return "new";
        } catch (error) {
          if (!(error instanceof UniqueViolation)) throw error;
          yield* sent(id, number);
          return "instead";
        }
      }
      const written = await Promise.all([
        store.write(() => instead("b", 1)),
        store.write(() => instead("c", 2)),
        store.write(() => insert("d", 3)),
      ]);

      expect(written).toEqual(["new", "instead", 1]);
      expect(await idsOf(store)).toEqual(["a", "c", "d"]);
    });
  });

  describe(`${name}: queries that run together`, () => {
    test("have their own answers, and see the rows of their body", async () => {
      const store = stores.new();
      const answers = await store.write(function* () {
        yield* sent("a", 1);
        return yield* together(get(FIND, "a"), get(FIND, "b"));
      });

      expect(answers).toEqual([{ id: "a", number: 1 }, undefined]);
    });

    test("are bodies of one step", async () => {
      const store = stores.new();
      const written = store.write(() => together(get(FIND, "a"), then(listIds(), listIds())));

      await expect(written).rejects.toThrow("only queries of one step may run together");
    });
  });
}

function sent(id: string, number: number): Transaction<void> {
  return send(INSERT, id, number);
}

function* then<T>(first: Transaction<unknown>, second: Transaction<T>): Transaction<T> {
  yield* first;
  return yield* second;
}
