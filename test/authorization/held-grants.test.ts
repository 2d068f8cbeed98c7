// A grant that a consent holds until the user is verified, and a process whose clock is wrong.
import { expect, test } from "bun:test";
import { systemClock } from "../../src/base";
import { connectionOf } from "../connections/executing";
import { consenting, HOUR, start } from "./consenting";
import { Person } from "./person";

test("is kept by a process whose clock runs ahead, until its consent ends", async () => {
  await using deployment = await consenting();
  const { runtime } = deployment;
  const ahead = await deployment.another({
    clock: { ...systemClock, now: () => Date.now() + 100 * 24 * HOUR },
  });
  const alice = new Person(runtime);
  const page = await alice.comeBack(await alice.toProvider(await start(runtime)), { code: "C" });
  await start(ahead, { user: "bob" });

  expect((await alice.answer(page)).kind).toBe("completed");
  expect(await connectionOf(runtime, "alice")).toMatchObject({ connection_status: "active" });
});
