// Answers that are awaited on a connection.
import { expect, test } from "bun:test";
import { Outstanding } from "../../../src/store/postgres/outstanding";

const LONG = 60_000;
const never = (): Promise<never> => new Promise(() => {});

test("an answer and an error arrive, and are no longer awaited", async () => {
  const outstanding = new Outstanding(() => {});

  expect(await outstanding.wait(Promise.resolve(1), LONG)).toBe(1);
  await expect(outstanding.wait(Promise.reject(new Error("refused")), LONG)).rejects.toThrow("refused");
  expect(outstanding.size).toBe(0);
});

test("the end of the connection ends all waits", async () => {
  const outstanding = new Outstanding(() => {});
  const waits = [outstanding.wait(never(), LONG), outstanding.wait(never(), LONG)];
  expect(outstanding.size).toBe(2);
  outstanding.fail(new Error("lost"));

  expect((await Promise.allSettled(waits)).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(outstanding.size).toBe(0);
});

test("an answer that takes longer than its limit is reported, one that has time left is not", async () => {
  const late = Promise.withResolvers<string>();
  const outstanding = new Outstanding(() => late.resolve("late"));
  const waits = [outstanding.wait(never(), LONG), outstanding.wait(never(), 1)];

  expect(await late.promise).toBe("late");
  outstanding.fail(new Error("lost"));
  await Promise.allSettled(waits);
});
