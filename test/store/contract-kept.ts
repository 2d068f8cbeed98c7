// The contract of the store port for kept rows, which transactions that share a commit read once and store once.
import { describe, expect, test } from "bun:test";
import {
  getKept,
  putKept,
  query,
  run,
  type SqliteOptions,
  type Store,
  touch,
  type Transaction,
} from "../../src/store";
import { FIND, RENUMBER } from "./notes";
import { engine } from "./opening";

const PUT = query(
  "INSERT INTO notes (id, number) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET number = excluded.number",
);
const FAILED = new Error("this body fails");

/** The next number of a note, from 1 or a start of its own on: no two notes have the same. */
function* count(id: string, start = 0): Transaction<number> {
  const number = ((yield* getKept(FIND, id))?.number ?? start) + 1;
  yield* putKept({ find: FIND, id, row: { id, number } }, PUT, [id, number]);
  return number;
}

function* failing(before: Transaction<unknown>): Transaction<never> {
  yield* before;
  throw FAILED;
}

/** Changes a row whose changes touch a kind, and reads it as others do. */
function* renumber(id: string, number: number): Transaction<number | undefined> {
  yield* run(RENUMBER, number, id);
  yield* touch("secrets");
  return yield* numberOf(id);
}

function* numberOf(id: string): Transaction<number | undefined> {
  return (yield* getKept(FIND, id, "secrets"))?.number;
}

export function keptContract(name: string, open: (options: SqliteOptions) => Store): void {
  const stores = engine(open);

  describe(`${name}: kept rows`, () => {
    test("each transaction has the change of the one before, and the last one is stored", async () => {
      const store = stores.new();
      const written = await Promise.all(
        Array.from({ length: 10 }, () => [
          store.write(() => count("a")),
          store.write(() => count("b", 100)),
        ]).flat(),
      );

      expect(written.filter((number) => number < 100)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
      expect(written.filter((number) => number > 100)).toEqual([
        101, 102, 103, 104, 105, 106, 107, 108, 109, 110,
      ]);
      expect(await store.get(FIND, "a")).toEqual({ id: "a", number: 10 });
      expect(await store.write(() => count("b"))).toBe(111);
    });

    test.each<[string, () => Transaction<unknown>]>([
      ["after it has changed the row", () => failing(count("a"))],
      ["after it has read the row", () => failing(getKept(FIND, "a"))],
    ])("a body that fails %s leaves the row as it was", async (_when, body) => {
      const store = stores.new();
      const written = await Promise.allSettled(
        [() => count("a"), body, () => count("a"), body].map((each) => store.write(each)),
      );

      expect(written).toEqual([
        { status: "fulfilled", value: 1 },
        { status: "rejected", reason: FAILED },
        { status: "fulfilled", value: 2 },
        { status: "rejected", reason: FAILED },
      ]);
      expect(await store.get(FIND, "a")).toEqual({ id: "a", number: 2 });
    });

    test("a touch of its kind changes the row for the transactions behind it", async () => {
      const store = stores.new();
      await store.write(() => run(PUT, "a", 1));
      const seen = await Promise.all([
        store.write(() => numberOf("a")),
        store.write(() => numberOf("none")),
        store.write(() => renumber("a", 2)),
        store.write(() => numberOf("a")),
      ]);

      expect(seen).toEqual([1, undefined, 2, 2]);
    });

    test("each commit reads the row again, because other processes change it, too", async () => {
      const [one, other] = stores.two();
      const numbers: number[] = [];
      for (let index = 0; index < 10; index++)
        numbers.push(await (index % 2 === 0 ? one : other).write(() => count("a")));

      expect(numbers).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    });
  });
}
