// Waiting for a change on an engine whose answers take a while.
import { expect, test } from "bun:test";
import { Watch } from "../../src/store/watch";

const LONG = { timeoutMs: 60_000, pollMs: 60_000 };

function asking() {
  const answer = Promise.withResolvers<number>();
  const watch = new Watch(() => answer.promise);
  return { answer, watch, changed: watch.changed("keys", 0, LONG) };
}

test("a commit wakes a waiter whose generation is still on its way, and may be older", async () => {
  const { answer, watch, changed } = asking();
  watch.wake(new Set(["keys"]));
  answer.resolve(0);

  expect(await changed).toBeUndefined();
});

test("a generation that has changed ends the wait", async () => {
  const { answer, changed } = asking();
  answer.resolve(1);

  expect(await changed).toBeUndefined();
});

test("a generation that cannot be read is an error", async () => {
  const { answer, changed } = asking();
  answer.reject(new Error("lost"));

  await expect(changed).rejects.toThrow("lost");
});
