// Refresh: once for all waiting calls, before the expiry, and under a lease that a late holder cannot misuse.
import { describe, expect, spyOn, test } from "bun:test";
import { RotatingGrants, tokens } from "../support/token-endpoint";
import type { Runtime } from "../../src/runtime";
import { deploy, type Deployment, pass } from "../tools/deployment";
import { call, connectionOf, refusal, succeeded, times, until } from "./executing";

const HOUR = 3600_000;
const MINUTE = 60_000;

/** Alice with single-use tokens and an expired access token, and a slow token endpoint. */
async function expired(deployment: Deployment, delayMs = 300): Promise<RotatingGrants> {
  const grants = new RotatingGrants();
  const pair = grants.issue("alice");
  await deployment.addProvider();
  await deployment.give("alice", pair);
  deployment.idp.otherwise((request) => ({ ...grants.answer(request), delayMs }));
  deployment.clock.move(HOUR);
  return grants;
}

describe("an expired single-use token", () => {
  test("is refreshed once for 20 concurrent calls, and all succeed [fault: refresh-race]", async () => {
    await using deployment = await deploy();
    const { runtime, idp, platform } = deployment;
    const grants = await expired(deployment);

    const executions = await times(20, () => call(runtime, "alice"));

    expect(succeeded(executions)).toBe(20);
    expect(idp.requests).toHaveLength(1);
    expect(new Set(platform.tokens())).toEqual(new Set(["access-of-alice-2"]));
    expect(grants.works("refresh-of-alice-2")).toBe(true);
    expect(await connectionOf(runtime, "alice")).toMatchObject({ connection_status: "active" });
  });

  test("leaves the newest refresh token in the store, so the next refresh works [fault: refresh-race]", async () => {
    await using deployment = await deploy();
    const { runtime, idp, clock, platform } = deployment;
    await expired(deployment, 0);
    await call(runtime, "alice");
    clock.move(HOUR);

    expect((await call(runtime, "alice")).success).toBe(true);
    expect(idp.requests.map(({ params }) => params["refresh_token"])).toEqual([
      "refresh-of-alice-1",
      "refresh-of-alice-2",
    ]);
    expect(platform.tokens()).toEqual(["access-of-alice-2", "access-of-alice-3"]);
  });

  test("is refreshed once for two processes with 10 calls each", async () => {
    await using deployment = await deploy();
    const { runtime, idp } = deployment;
    const other = await deployment.another();
    await expired(deployment);

    const executions = await times(20, (index) => call(index % 2 === 0 ? runtime : other, "alice"));

    expect(succeeded(executions)).toBe(20);
    expect(idp.requests).toHaveLength(1);
  });

  test("of one user does not block other users", async () => {
    await using deployment = await deploy();
    const { runtime, idp } = deployment;
    await expired(deployment, 400);
    await deployment.give("bob");
    const alice = call(runtime, "alice");
    await until(() => idp.requests.length === 1);

    const first = await Promise.race([alice.then(() => "alice"), call(runtime, "bob").then(() => "bob")]);

    expect(first).toBe("bob");
    expect((await alice).success).toBe(true);
  });
});

describe("before the expiry", () => {
  test.each([
    { life: 3600, age: 54 * MINUTE, refreshes: 0 },
    { life: 3600, age: 56 * MINUTE, refreshes: 1 },
    // Never in the first half of a short lifetime.
    { life: 60, age: 29_000, refreshes: 0 },
    { life: 60, age: 31_000, refreshes: 1 },
  ])("a token of $life s is refreshed $refreshes times after $age ms", async (row) => {
    await using deployment = await deploy();
    const { runtime, idp, clock } = deployment;
    const grants = new RotatingGrants();
    await deployment.addProvider();
    await deployment.give("alice", { ...grants.issue("alice"), expiresIn: row.life });
    idp.otherwise(grants.answer);
    clock.move(row.age);

    expect((await call(runtime, "alice")).success).toBe(true);
    await until(() => idp.requests.length >= row.refreshes);
    await Bun.sleep(20);
    expect(idp.requests).toHaveLength(row.refreshes);
  });

  test.each([
    ["is down", { status: 503, body: "<html>down</html>", type: "text/html" }],
    ["breaks the connection", { resets: true }],
    ["refuses the client", { status: 401, body: { error: "invalid_client" } }],
  ])("the old token is used while the token endpoint %s", async (_trouble, answer) => {
    await using deployment = await deploy();
    const { runtime, idp, clock, platform } = deployment;
    await deployment.addProvider();
    await deployment.give("alice");
    idp.otherwise(answer);
    clock.move(56 * MINUTE);

    expect((await call(runtime, "alice")).success).toBe(true);
    await until(() => idp.requests.length === 1);
    expect((await call(runtime, "alice")).success).toBe(true);
    expect(idp.requests).toHaveLength(1);
    expect(platform.tokens()).toEqual(["access-of-alice", "access-of-alice"]);
  });

  test("a grant that turns out to be dead is not used until its expiry", async () => {
    await using deployment = await deploy();
    const { runtime, idp, clock, platform } = deployment;
    await deployment.addProvider();
    await deployment.give("alice");
    idp.otherwise({ status: 400, body: { error: "invalid_grant" } });
    clock.move(56 * MINUTE);
    await call(runtime, "alice");
    await until(async () => (await connectionOf(runtime, "alice"))?.connection_status === "expired");

    expect((await refusal(call(runtime, "alice"))).status).toBe(403);
    expect(platform.tokens()).toEqual(["access-of-alice"]);
  });
});

describe("the lease", () => {
  /** Two processes. The refresh of the first is running and waits for `answer`. */
  async function underway() {
    const deployment = await deploy();
    const other = await deployment.another();
    await expired(deployment, 0);
    const late = Promise.withResolvers<object>();
    deployment.idp.queue(async () => ({ body: await late.promise }));
    const first = call(deployment.runtime, "alice");
    await until(() => deployment.idp.requests.length === 1);
    return { deployment, other, first, answer: late.resolve };
  }

  /** Another process, whose call takes the lease because the first one seems dead. */
  async function takenOver({ clock }: Deployment, other: Runtime) {
    const second = call(other, "alice");
    await pass(clock, 24_000);
    return { call: second };
  }

  test("that was lost before the request: the old refresh token is not sent", async () => {
    await using deployment = await deploy();
    const { runtime, idp, platform } = deployment;
    const other = await deployment.another();
    await expired(deployment, 0);
    idp.otherwise({ status: 400, body: { error: "invalid_grant" } });
    idp.queue({ body: tokens({ access: "new", refresh: "newer" }, 3600) });
    const [stopped, resumed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const read = runtime.providers.clientKeys.bind(runtime.providers);
    const keys = spyOn(runtime.providers, "clientKeys").mockImplementationOnce(async (provider) => {
      stopped.resolve();
      await resumed.promise;
      return read(provider);
    });
    const first = call(runtime, "alice");
    await stopped.promise;
    const second = await takenOver(deployment, other);
    await second.call;
    resumed.resolve();

    expect((await first).success).toBe(true);
    keys.mockRestore();
    expect(idp.requests.map(({ params }) => params["refresh_token"])).toEqual(["refresh-of-alice-1"]);
    expect(platform.tokens()).toEqual(["new", "new"]);
  });

  test("is longer than a slow token request: no other process refreshes in the meantime", async () => {
    const { deployment, other, first, answer } = await underway();
    await using _ = deployment;
    // The longest token request takes 30 s.
    deployment.clock.move(40_000);
    const waits = spyOn(other.core.store, "changed");
    const second = call(other, "alice");
    await until(() => waits.mock.calls.some(([kind]) => kind === "leases"));
    const before = deployment.idp.requests.length;
    answer(tokens({ access: "new", refresh: "newer" }, 3600));

    expect(succeeded(await Promise.all([first, second]))).toBe(2);
    expect([before, deployment.idp.requests.length]).toEqual([1, 1]);
    expect(deployment.platform.tokens()).toEqual(["new", "new"]);
  });

  test("of a holder that hangs is taken over, and its late result is not stored", async () => {
    const { deployment, other, first, answer } = await underway();
    await using _ = deployment;
    const second = await (await takenOver(deployment, other)).call;
    answer(tokens({ access: "late", refresh: "later" }, 3600));

    expect([second.success, (await first).success]).toEqual([true, true]);
    expect(deployment.platform.tokens()).toEqual(["access-of-alice-2", "access-of-alice-2"]);
    deployment.clock.move(HOUR);
    await call(deployment.runtime, "alice");
    expect(deployment.idp.requests.at(-1)?.params["refresh_token"]).toBe("refresh-of-alice-2");
  });

  test("that was lost does not make a refusal final: the tokens of the other process are used [fault: transient-refusal]", async () => {
    const { deployment, other, first, answer } = await underway();
    await using _ = deployment;
    await (
      await takenOver(deployment, other)
    ).call;
    answer({ error: "invalid_grant" });

    expect((await first).success).toBe(true);
    expect(await connectionOf(deployment.runtime, "alice")).toMatchObject({ connection_status: "active" });
  });

  test("that another process holds decides: a late refusal changes nothing, and its caller waits", async () => {
    const { deployment, other, first, answer } = await underway();
    await using _ = deployment;
    const { runtime, idp, platform } = deployment;
    const second = Promise.withResolvers<object>();
    idp.queue(async () => ({ body: await second.promise }));
    const { call: taken } = await takenOver(deployment, other);
    await until(() => idp.requests.length === 2);
    const waits = spyOn(runtime.core.store, "changed");
    answer({ error: "invalid_grant" });
    await until(() => waits.mock.calls.some(([kind]) => kind === "leases"));
    const meanwhile = await connectionOf(runtime, "alice");
    second.resolve(tokens({ access: "new", refresh: "newer" }, 3600));

    expect(succeeded(await Promise.all([first, taken]))).toBe(2);
    expect(meanwhile).toMatchObject({ connection_status: "active" });
    expect(platform.tokens()).toEqual(["new", "new"]);
    expect(idp.requests).toHaveLength(2);
  });

  test("that another process holds does not stop late tokens: they are stored, and the other refusal changes nothing", async () => {
    const { deployment, other, first, answer } = await underway();
    await using _ = deployment;
    const { runtime, idp, platform } = deployment;
    const second = Promise.withResolvers<object>();
    idp.queue(async () => ({ body: await second.promise }));
    const { call: taken } = await takenOver(deployment, other);
    await until(() => idp.requests.length === 2);
    answer(tokens({ access: "late", refresh: "later" }, 3600));
    await first;
    second.resolve({ error: "invalid_grant" });

    expect((await taken).success).toBe(true);
    expect(await connectionOf(runtime, "alice")).toMatchObject({ connection_status: "active" });
    expect(platform.tokens()).toEqual(["late", "late"]);
  });

  test("is released if the user consented again in the meantime; the new grant is used and can be refreshed at once", async () => {
    const { deployment, first, answer } = await underway();
    await using _ = deployment;
    const { runtime, idp, platform } = deployment;
    await deployment.give("alice", { access: "consented", refresh: "consented-refresh" });
    answer(tokens({ access: "late", refresh: "later" }, 3600));
    await first;
    platform.refuse("consented");
    idp.queue({ body: tokens({ access: "renewed", refresh: "newest" }, 3600) });

    // A lease that is not released lasts 45 s, longer than a test may take.
    expect((await call(runtime, "alice")).success).toBe(true);
    expect(platform.tokens()).toEqual(["consented", "consented", "renewed"]);
  });

  test("does not restore a connection that was deleted in the meantime", async () => {
    const { deployment, first, answer } = await underway();
    await using _ = deployment;
    const { runtime } = deployment;
    const connection = await connectionOf(runtime, "alice");
    await runtime.connections.delete({ kind: "operator", projectId: "default" }, connection?.id ?? "");
    answer(tokens({ access: "late", refresh: "later" }, 3600));

    expect((await refusal(first)).status).toBe(403);
    expect(await connectionOf(runtime, "alice")).toBeUndefined();
    expect(deployment.platform.calls).toEqual([]);
  });
});
