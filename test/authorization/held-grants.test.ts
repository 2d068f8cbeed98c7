// A grant that a consent holds until the user is verified, and a process whose clock is wrong.
import { expect, test } from "bun:test";
import { connectionOf } from "../connections/executing";
import { givenUp, reclaiming } from "../connections/reclaiming";
import { type Hooks, pausedStore } from "../support/paused-store";
import { query } from "../../src/store";
import { operator } from "../tools/deployment";
import { ahead, consenting, HOUR, look, MINUTE, start } from "./consenting";
import { Person } from "./person";

test("is kept by a process whose clock runs ahead, until its consent ends", async () => {
  await using deployment = await consenting();
  const { runtime } = deployment;
  const other = await ahead(deployment);
  const alice = new Person(runtime);
  const page = await alice.comeBack(await alice.toProvider(await start(runtime)), { code: "C" });
  await start(other, { user: "bob" });

  expect((await alice.answer(page)).kind).toBe("completed");
  expect(await connectionOf(runtime, "alice")).toMatchObject({ connection_status: "active" });
});

const EXPIRY = query<{ expires_at: number }>("SELECT expires_at FROM connections");

test("of a process whose clock runs ahead does not last longer for others than the provider said", async () => {
  await using deployment = await consenting();
  const { runtime, clock } = deployment;
  const other = await ahead(deployment);
  const alice = new Person(other);
  const page = await alice.comeBack(await alice.toProvider(await start(other)), { code: "C" });
  const elsewhere = new Person(runtime);
  elsewhere.cookie = alice.cookie;
  expect((await elsewhere.answer(page)).kind).toBe("completed");

  const { expires_at = 0 } = (await runtime.core.store.get(EXPIRY)) ?? {};
  expect(expires_at).toBeWithin(clock.now() + HOUR - MINUTE, clock.now() + HOUR + 1);
});

test("is kept if the settings of its project cannot be read, and the browser comes back to it", async () => {
  await using deployment = await consenting();
  const { runtime, idp } = deployment;
  const read = runtime.settings.of;
  idp.otherwise(() => {
    runtime.settings.of = () => Promise.reject(new Error("broken"));
    return { body: { access_token: "granted", expires_in: 3600 } };
  });
  const alice = new Person(runtime);
  const provider = await alice.toProvider(await start(runtime));

  await expect(alice.comeBack(provider, { code: "C" })).rejects.toThrow("broken");
  runtime.settings.of = read;
  const page = await alice.comeBack(provider, { code: "C" });
  expect((await alice.answer(page)).kind).toBe("completed");
});

test("is not deleted with old consents, but revoked first", async () => {
  const { deployment, answers, revoked } = await reclaiming();
  await using _ = deployment;
  const { runtime, clock } = deployment;
  const tokens = { access_token: "held", refresh_token: "of-held", account: { id: "A1" } };
  answers.token = { body: tokens };
  answers.revoke = { body: {} };
  const alice = new Person(runtime);
  await alice.comeBack(await alice.toProvider(await start(runtime)), { code: "C" });
  // No server runs, only commands.
  for (let day = 0; day < 9; day++) {
    clock.move(24 * HOUR + 1000);
    await start(runtime, { user: "bob" });
  }
  await look(runtime);

  expect(revoked()).toEqual(["of-held"]);
});

test("is not given up by the worker of a process whose clock runs ahead", async () => {
  await using deployment = await consenting();
  const { runtime } = deployment;
  const other = await ahead(deployment);
  const alice = new Person(runtime);
  const page = await alice.comeBack(await alice.toProvider(await start(runtime)), { code: "C" });
  await look(other);

  expect((await alice.answer(page)).kind).toBe("completed");
  expect(await connectionOf(runtime, "alice")).toMatchObject({ connection_status: "active" });
});

test("is not ended by a process whose clock runs ahead, which has an earlier grant of the user to revoke", async () => {
  const reclaimed = await reclaiming();
  const { deployment, answers, revoked } = reclaimed;
  await using _ = deployment;
  const { runtime, clock } = deployment;
  const other = await ahead(deployment);
  await givenUp(reclaimed, "first");
  const alice = new Person(runtime);
  const page = await alice.comeBack(await alice.toProvider(await start(runtime)), { code: "C" });
  answers.revoke = { body: {} };
  clock.move(MINUTE);
  await look(other);
  clock.move(3 * MINUTE);
  await look(other);

  expect((await alice.answer(page)).kind).toBe("completed");
  expect(revoked()).toEqual(["first"]);
});

test("is stored although a rotation has deleted the data key that had sealed it", async () => {
  let hooks: Hooks | undefined;
  await using deployment = await consenting({}, { parts: { openStore: pausedStore(() => hooks) } });
  const { runtime, idp, clock } = deployment;
  const other = await deployment.another();
  const [stopped, resumed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  idp.otherwise(() => {
    hooks = {
      before: async () => {
        hooks = undefined;
        stopped.resolve();
        await resumed.promise;
      },
    };
    return { body: { access_token: "granted", refresh_token: "granted-refresh", expires_in: 3600 } };
  });
  const alice = new Person(runtime);
  const page = alice.toProvider(await start(runtime)).then((at) => alice.comeBack(at, { code: "C" }));
  await stopped.promise;
  await other.rotation.rotateDataKey(operator());
  // The clock jumps, so the key seems to have been retired long ago.
  clock.jump(2 * HOUR);
  await other.rotation.rotateDataKey(operator());
  clock.jump(-2 * HOUR);
  resumed.resolve();

  expect((await alice.answer(await page)).kind).toBe("completed");
});
