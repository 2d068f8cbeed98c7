// A code whose exchange takes long, and a process whose clock is wrong: it deletes no consent that is going on.
import { expect, test } from "bun:test";
import { connectionOf, until } from "../connections/executing";
import type { Deployment } from "../tools/deployment";
import { ahead, consenting, HOUR, start } from "./consenting";
import { Person } from "./person";

/** Alice's code is being exchanged; `answer` lets the provider answer, and ends the consent. */
async function exchanging({ runtime, idp }: Deployment) {
  const granted = Promise.withResolvers<object>();
  let isAsked = false;
  idp.otherwise(async () => {
    isAsked = true;
    return { body: await granted.promise };
  });
  const consent = new Person(runtime).consent(await start(runtime));
  await until(() => isAsked);
  return {
    answer: () => {
      granted.resolve({ access_token: "granted", refresh_token: "granted-refresh", expires_in: 3600 });
      return consent;
    },
  };
}

test("a consent is kept by a process whose clock runs far ahead", async () => {
  await using deployment = await consenting();
  const other = await ahead(deployment);
  const { answer } = await exchanging(deployment);
  await start(other, { user: "bob" });

  expect((await answer()).kind).toBe("completed");
  expect(await connectionOf(deployment.runtime, "alice")).toMatchObject({ connection_status: "active" });
});

test("a consent that was not opened yet is kept by such a process, too", async () => {
  await using deployment = await consenting();
  const { runtime } = deployment;
  const other = await ahead(deployment);
  const flow = await start(runtime);
  await start(other, { user: "bob" });

  expect((await new Person(runtime).consent(flow)).kind).toBe("completed");
});

test("a consent is kept by a process whose clock runs ahead a little, when there are too many", async () => {
  const environment = { RUNTIME_LIMITS_PENDING_CONSENTS_PER_PROJECT: "1" };
  await using deployment = await consenting({}, { environment });
  const { runtime, clock } = deployment;
  // The clock is believed after a day.
  await start(runtime, { user: "carol" });
  clock.move(25 * HOUR);
  await start(runtime, { user: "dave" });
  clock.move(25 * HOUR);
  const other = await ahead(deployment, 25 * HOUR);
  const { answer } = await exchanging(deployment);
  await other.authorization.createCompleted({ projectId: "default" }, "bob");
  await start(other, { user: "bob" });

  expect((await answer()).kind).toBe("completed");
});
