// A line of limited width.
import { expect, test } from "bun:test";
import { Limiter } from "../../../catalogs/upstream/limiter";

test("work beyond the width waits in order, and a failure frees its place", async () => {
  const line = new Limiter(2);
  const started: number[] = [];
  const gates = [0, 1, 2, 3].map(() => Promise.withResolvers<void>());
  const work = gates.map((gate, index) =>
    line.run(async () => {
      started.push(index);
      await gate.promise;
    }),
  );
  const settled = Promise.allSettled(work);
  await Bun.sleep(0);
  expect(started).toEqual([0, 1]);

  gates[1]?.reject(new Error("broken"));
  await Bun.sleep(0);
  expect(started).toEqual([0, 1, 2]);

  for (const gate of gates) gate.resolve();
  expect((await settled).map(({ status }) => status)).toEqual([
    "fulfilled",
    "rejected",
    "fulfilled",
    "fulfilled",
  ]);
  expect(started).toEqual([0, 1, 2, 3]);
});
