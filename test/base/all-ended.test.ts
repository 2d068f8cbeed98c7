// Waiting for work in the background that begins more work.
import { expect, test } from "bun:test";
import { allEnded } from "../../src/base";

test("waits for what ends, and for what that has begun", async () => {
  const ended: string[] = [];
  const running = new Map<string, Promise<void>>();
  const begin = (name: string, more: readonly string[]): void => {
    const work = Bun.sleep(2)
      .then(() => {
        for (const one of more) begin(one, []);
        ended.push(name);
        if (name === "fails") throw new Error("failed");
      })
      .finally(() => running.delete(name));
    // As the services do, whose work never rejects without a listener.
    work.catch(() => undefined);
    running.set(name, work);
  };
  begin("look", ["one", "fails"]);

  await allEnded(running);

  expect(ended.toSorted()).toEqual(["fails", "look", "one"]);
  expect(running.size).toBe(0);
});
