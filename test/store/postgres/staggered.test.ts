// Attempts that start one after another.
import { expect, test } from "bun:test";
import { staggered } from "../../../src/store/postgres/staggered";

/** A result that counts how often it was closed. */
function result(name: string) {
  const made = { name, closed: 0, close: async () => void made.closed++ };
  return made;
}

const LONG = 60_000;
const ignored = (): void => undefined;
const refused = (): Promise<never> => Promise.reject(new Error("refused"));

test("the first one is preferred, and no other starts", async () => {
  let started = 0;
  const second = async () => {
    started++;
    return result("second");
  };

  expect((await staggered([async () => result("first"), second], LONG, ignored))?.name).toBe("first");
  expect(started).toBe(0);
});

test("the next one starts at once when one fails", async () => {
  const failures: number[] = [];
  const failed = (_error: unknown, index: number): void => void failures.push(index);

  expect((await staggered([refused, async () => result("second")], LONG, failed))?.name).toBe("second");
  expect(failures).toEqual([0]);
});

test("one that hangs does not delay the next, and is closed when it succeeds later", async () => {
  const late = Promise.withResolvers<ReturnType<typeof result>>();
  const found = await staggered([() => late.promise, async () => result("second")], 1, ignored);
  expect(found?.name).toBe("second");
  const first = result("first");
  late.resolve(first);
  await Bun.sleep(0);

  expect([first.closed, found?.closed]).toEqual([1, 0]);
});

test("if all fail there is none, and an error of the observer ends it", async () => {
  expect(await staggered([refused, refused], 1, ignored)).toBeUndefined();
  const refusal = staggered([refused, async () => result("second")], LONG, () => {
    throw new Error("no more");
  });

  await expect(refusal).rejects.toThrow("no more");
});
