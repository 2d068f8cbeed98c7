// The contract of the store port for failures: a failed body does not affect others.
import { describe, expect, test } from "bun:test";
import { notFound } from "../../src/errors";
import {
  query,
  run,
  type SqliteOptions,
  type Store,
  touch,
  type Transaction,
  UniqueViolation,
} from "../../src/store";
import { FIND, increment, INSERT, INSERT_BELOW, insert, LIST, listIds } from "./notes";
import { engine } from "./opening";

export function failuresContract(name: string, open: (options: SqliteOptions) => Store): void {
  const stores = engine(open);
  const idsOf = async (store: Store): Promise<string[]> => (await store.all(LIST)).map(({ id }) => id);

  describe(`${name}: a body that throws`, () => {
    test("its error reaches the caller unchanged", async () => {
      const refusal = notFound("The note does not exist.");
      const written = stores.new().write(function* () {
        yield* insert("a", 1);
        throw refusal;
      });

      expect(await written.catch((error: unknown) => error)).toBe(refusal);
    });

    test("its rows are rolled back, the rows of other writes of its turn are stored", async () => {
      const store = stores.new();
      const written = await Promise.allSettled([
        store.write(() => insert("before", 1)),
        store.write(function* () {
          yield* insert("gone", 2);
          throw notFound("The note does not exist.");
        }),
        store.write(() => insert("after", 3)),
      ]);

      expect(written.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
      expect(await idsOf(store)).toEqual(["before", "after"]);
    });

    const REFUSED: [string, () => Transaction<unknown>][] = [
      ["before it wrote", refused],
      ["after it wrote", () => insertThen(refused)],
      ["after it touched", () => touchThen(refused)],
      ["because a row exists, after it wrote", () => insertThen(() => insert("before", 9))],
      ["because of a broken reference", () => run(INSERT_BELOW, "gone", 99, "nobody")],
    ];
    test.each(REFUSED)(
      "%s does not affect other writes of its turn, and each settles once",
      async (_when, refuse) => {
        const store = stores.new();
        const answers: string[] = [];
        const queue = (body: () => Transaction<unknown>): Promise<unknown> =>
          store.write(body).then(
            (value) => answers.push(String(value)),
            () => answers.push("refused"),
          );
        await Promise.all([
          queue(() => insert("before", 1)),
          queue(refuse),
          queue(() => increment("before")),
          queue(refuse),
          queue(listIds),
        ]);

        expect(answers.toSorted()).toEqual(["1", "2", "before", "refused", "refused"]);
        expect(await store.all(LIST)).toEqual([{ id: "before", number: 2 }]);
        expect(await store.generation("keys")).toBe(0);
      },
    );

    test("if all of a turn throw, nothing is stored, and each gets its own error", async () => {
      const store = stores.new();
      const written = await Promise.allSettled(
        ["a", "b", "c"].map((id, index) =>
          store.write(function* () {
            yield* insert(id, index);
            throw notFound(`There is no ${id}.`);
          }),
        ),
      );

      expect(written.map((one) => (one.status === "rejected" ? String(one.reason.message) : ""))).toEqual([
        "There is no a.",
        "There is no b.",
        "There is no c.",
      ]);
      expect(await idsOf(store)).toEqual([]);
      expect(await store.write(() => insert("a", 1))).toBe(1);
    });

    test("an error before the first step does not affect others", async () => {
      const store = stores.new();
      const failed = store.write(() => {
        throw notFound("The note does not exist.");
      });
      const kept = store.write(() => insert("a", 1));

      await expect(failed).rejects.toThrow("The note does not exist.");
      expect(await kept).toBe(1);
    });

    test("a statement with a syntax error only rejects its own write", async () => {
      const store = stores.new();
      const failed = store.write(() => run(query("INSERT INTO nowhere VALUES (1)")));
      const kept = store.write(() => insert("a", 1));

      await expect(failed).rejects.toThrow(/nowhere/);
      expect(await kept).toBe(1);
    });
  });

  describe(`${name}: an existing key`, () => {
    const twice: [string, string, number][] = [
      ["primary key", "a", 2],
      ["unique column", "b", 1],
    ];
    test.each(twice)(
      "a second row with the same %s rejects with UniqueViolation",
      async (_rule, id, number) => {
        const store = stores.new();
        await store.write(() => insert("a", 1));

        await expect(store.write(() => insert(id, number))).rejects.toBeInstanceOf(UniqueViolation);
      },
    );

    test("the body may catch it and write something else", async () => {
      const store = stores.new();
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

    test("the body may catch it between two writes, next to others that do the same or fail", async () => {
      const store = stores.new();
      function* around(id: string, number: number): Transaction<void> {
        yield* insert(`${id} before`, number);
        try {
          yield* insert("a", 99);
        } catch (error) {
          if (!(error instanceof UniqueViolation)) throw error;
        }
        yield* insert(`${id} after`, number + 1);
      }
      const written = await Promise.allSettled([
        store.write(() => insert("a", 1)),
        store.write(() => around("b", 2)),
        store.write(() => insertThen(refused)),
        store.write(() => around("c", 4)),
      ]);

      expect(written.map(({ status }) => status)).toEqual([
        "fulfilled",
        "fulfilled",
        "rejected",
        "fulfilled",
      ]);
      expect(await idsOf(store)).toEqual(["a", "b before", "b after", "c before", "c after"]);
    });

    test("of two writes of one turn with the same key the first succeeds", async () => {
      const store = stores.new();
      const [first, second] = await Promise.allSettled([
        store.write(() => insert("a", 1)),
        store.write(() => insert("a", 2)),
      ]);

      expect([first?.status, second?.status]).toEqual(["fulfilled", "rejected"]);
      expect(await store.get(FIND, "a")).toEqual({ id: "a", number: 1 });
    });
  });
}

// oxlint-disable-next-line require-yield -- it fails before its first step
function* refused(): Transaction<never> {
  throw notFound("The note does not exist.");
}

function* insertThen(next: () => Transaction<unknown>): Transaction<unknown> {
  yield* insert("gone", 98);
  yield* touch("keys");
  return yield* next();
}

function* touchThen(next: () => Transaction<unknown>): Transaction<unknown> {
  yield* touch("keys");
  return yield* next();
}
