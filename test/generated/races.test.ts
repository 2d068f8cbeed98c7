// Everything that can be done with one record, at once: nothing breaks, and once it is deleted it is gone.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type DescribedOperation, servedOperations } from "../support/described";
import { type Prepared, toCall, validRequest } from "./requests";
import { startWorld, type World } from "./world";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

const ROUNDS = 10;
const deletions = servedOperations.filter(({ method, path }) => method === "DELETE" && path.endsWith("}"));

test.each(deletions.map((one) => [one.path, one] as const))("%s", async (path, deletion) => {
  const others = servedOperations.filter((one) => one.path === path);
  const failed: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const request = await validRequest(world, world.own, deletion);
    const together = [...others, ...others, ...others].map((operation) => about(request, operation));
    const answers = await Promise.all(
      (await Promise.all(together)).map((one) => world.send(toCall(one, world.own.admin))),
    );

    failed.push(...answers.filter(({ status }) => status >= 500).map(({ text }) => text));
    expect(answers.filter(({ status }) => status < 300).length).toBeGreaterThan(0);
    expect((await world.send(toCall(request, world.own.admin))).status).toBe(404);
  }
  expect(failed).toEqual([]);
});

/** The operation's own valid request, about the record of another one. */
async function about({ path }: Prepared, operation: DescribedOperation): Promise<Prepared> {
  const valid = await validRequest(world, world.own, operation);
  const body =
    operation.method === "PUT" ? { ...Object(valid.body), id: Object.values(path).at(-1) } : valid.body;
  return { ...valid, path, body };
}
