// The platform refuses a token: one refresh, one repetition, and no loop.
import { describe, expect, test } from "bun:test";
import { GrantDead } from "../../src/tools";
import { RotatingGrants } from "../support/token-endpoint";
import { deploy, type Deployment, give, operator } from "../tools/deployment";
import { call, connectionOf, refusal, requirementOf, succeeded, times, until } from "./executing";

/** Alice, with a token that the platform refuses before its expiry. */
async function refused(expiresIn: number | null = null): Promise<Deployment & { grants: RotatingGrants }> {
  const deployment = await deploy();
  const grants = new RotatingGrants();
  await deployment.addProvider();
  await deployment.give("alice", { ...grants.issue("alice"), expiresIn });
  deployment.idp.otherwise(grants.answer);
  deployment.platform.refuse("access-of-alice-1");
  return { ...deployment, grants };
}

test.each([
  ["of unknown lifetime", null],
  ["that has not expired", 3600],
])(
  "a token %s is refreshed once and the tool is repeated once [fault: no-expiry]",
  async (_name, expiresIn) => {
    await using deployment = await refused(expiresIn);
    const { runtime, idp, platform } = deployment;

    expect((await call(runtime, "alice")).success).toBe(true);
    expect(platform.tokens()).toEqual(["access-of-alice-1", "access-of-alice-2"]);
    expect(idp.requests).toHaveLength(1);
  },
);

test("ten concurrent calls cause one refresh, and all succeed", async () => {
  await using deployment = await refused();
  const { runtime, idp } = deployment;

  expect(succeeded(await times(10, () => call(runtime, "alice")))).toBe(10);
  expect(idp.requests).toHaveLength(1);
});

test("a call that failed with the old token after the refresh uses the new one", async () => {
  await using deployment = await refused();
  const { runtime, test: catalog, idp } = deployment;
  const entered = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  catalog.act = async (_input, context) => {
    if (catalog.runs === 1) {
      entered.resolve();
      await goOn.promise;
    }
    const { status } = await context.fetch("api", "me");
    if (status === 401) throw new GrantDead("HTTP 401");
    return status;
  };
  const slow = call(runtime, "alice", "Test.ActFor");
  await entered.promise;
  await call(runtime, "alice");
  goOn.resolve();

  expect((await slow).output?.value).toBe(200);
  expect(idp.requests).toHaveLength(1);
});

test("a token that a consent has stored during the call, and that is refused too, is refreshed", async () => {
  await using deployment = await refused();
  const { runtime, test: catalog, idp, platform, grants } = deployment;
  const consented = grants.issue("alice");
  platform.refuse(consented.access);
  catalog.act = async (_input, context) => {
    if (catalog.runs === 1) await deployment.give("alice", consented);
    const { status } = await context.fetch("api", "me");
    if (status === 401) throw new GrantDead("HTTP 401");
    return status;
  };

  expect((await call(runtime, "alice", "Test.ActFor")).output?.value).toBe(200);
  expect(platform.tokens()).toEqual(["access-of-alice-1", "access-of-alice-2", "access-of-alice-3"]);
  expect(idp.requests.map(({ params }) => params["refresh_token"])).toEqual([consented.refresh]);
  expect(await connectionOf(runtime, "alice")).toMatchObject({ connection_status: "active" });
});

test.each([
  ["with a refresh token", "of-again"],
  ["without one, after a deletion", null],
])(
  "a token that a consent %s has stored during the refresh, and that is refused too, is refreshed",
  async (_which, refresh) => {
    await using deployment = await deploy();
    const { runtime, idp, platform } = deployment;
    const other = await deployment.another();
    await deployment.addProvider({ provider_id: "known" });
    const facts = { account_id: "A1" };
    const id = await deployment.give("alice", { refresh: "first", facts });
    platform.refuse("access-of-alice");
    platform.refuse("again");
    const late = Promise.withResolvers<object>();
    idp.queue(async () => ({ body: await late.promise }));
    idp.otherwise({ body: { access_token: "last", expires_in: 3600 } });
    const called = call(runtime, "alice");
    await until(() => idp.requests.length === 1);
    if (refresh === null) await other.connections.delete(operator(), id);
    await give(other, "alice", { access: "again", refresh, facts });
    late.resolve({ access_token: "late", refresh_token: "of-late", expires_in: 3600 });

    expect((await called).success).toBe(true);
    expect(platform.tokens()).toEqual(["access-of-alice", "again", "last"]);
    const sent = idp.requests.map(({ params }) => params["refresh_token"]);
    expect(sent).toEqual(["first", refresh ?? "of-late"]);
    expect(await connectionOf(other, "alice")).toMatchObject({ connection_status: "active" });
  },
);

describe("when the new token is refused too", () => {
  test("the grant is dead: the user must consent again, and there is no loop [fault: no-expiry]", async () => {
    await using deployment = await refused();
    const { runtime, idp, platform } = deployment;
    platform.refuse("access-of-alice-2");

    const failed = await call(runtime, "alice");

    expect(failed.output?.error).toMatchObject({ kind: "UPSTREAM_RUNTIME_AUTH_ERROR", status_code: 401 });
    expect(failed.output?.error?.message).toContain("authorization required");
    expect(failed.output?.authorization).toMatchObject({ status: "pending", user_id: "alice" });
    expect([platform.calls.length, idp.requests.length]).toEqual([2, 1]);
  });

  test("the next call is refused with the reason, without a request", async () => {
    await using deployment = await refused();
    const { runtime, idp, platform } = deployment;
    platform.refuse("access-of-alice-2");
    await call(runtime, "alice");

    const next = await refusal(call(runtime, "alice"));

    expect([next.status, next.message]).toEqual([
      403,
      expect.stringContaining("the platform no longer accepts the grant"),
    ]);
    expect(await requirementOf(runtime, "alice")).toMatchObject({ met: false, token_status: "pending" });
    expect([platform.calls.length, idp.requests.length]).toEqual([2, 1]);
  });
});

test("without a refresh token the grant is dead at once", async () => {
  await using deployment = await deploy();
  const { runtime, idp, platform } = deployment;
  await deployment.addProvider();
  await deployment.give("alice", { refresh: null, expiresIn: null });
  platform.refuse("access-of-alice");

  const failed = await call(runtime, "alice");

  expect(failed.output?.error).toMatchObject({ kind: "UPSTREAM_RUNTIME_AUTH_ERROR" });
  expect([platform.calls.length, idp.requests.length]).toEqual([1, 0]);
  expect(await connectionOf(runtime, "alice")).toMatchObject({ connection_status: "expired" });
});

test.each([
  ["is down", { status: 503, body: "down" }],
  ["breaks the connection", { resets: true }],
  ["refuses the client", { status: 401, body: { error: "invalid_client" } }],
])("a token endpoint that %s does not make the grant dead", async (_name, answer) => {
  await using deployment = await refused();
  const { runtime, idp } = deployment;
  idp.queue(answer);

  const failed = await call(runtime, "alice");

  expect(failed.output?.error).toMatchObject({ kind: "UPSTREAM_RUNTIME_SERVER_ERROR" });
  expect(failed.output?.authorization).toBeUndefined();
  expect(await connectionOf(runtime, "alice")).toMatchObject({ connection_status: "active" });
  expect((await call(runtime, "alice")).success).toBe(true);
});

test("a dead grant that the refresh finds is not tried again", async () => {
  await using deployment = await refused();
  const { runtime, idp, platform } = deployment;
  idp.queue({ status: 400, body: { error: "invalid_grant" } });

  const failed = await call(runtime, "alice");

  expect(failed.output?.error).toMatchObject({ kind: "UPSTREAM_RUNTIME_AUTH_ERROR" });
  expect(failed.output?.authorization).toMatchObject({ status: "pending" });
  expect(platform.calls).toHaveLength(1);
});

test("a refusal of the old token does not mark a replaced grant dead", async () => {
  await using deployment = await deploy();
  const { runtime, test: catalog } = deployment;
  await deployment.addProvider();
  await deployment.give("alice", { refresh: null, expiresIn: null });
  catalog.act = async (_input, { grant }) => {
    if (catalog.runs > 1) return grant?.scopes;
    await deployment.give("alice", { access: "consented-anew", refresh: null, expiresIn: null });
    throw new GrantDead("HTTP 401");
  };

  expect((await call(runtime, "alice", "Test.ActFor")).success).toBe(true);
  expect(await connectionOf(runtime, "alice")).toMatchObject({ connection_status: "active" });
});

describe("a scope that the token has lost, according to the platform", () => {
  test("is removed: tools that need it ask for consent, the others work", async () => {
    await using deployment = await deploy();
    const { runtime, platform } = deployment;
    await deployment.addProvider();
    await deployment.give("alice");
    platform.refuse("access-of-alice", 403);

    const failed = await call(runtime, "alice");

    expect(failed.output?.error).toMatchObject({ kind: "UPSTREAM_RUNTIME_AUTH_ERROR", status_code: 403 });
    expect(failed.output?.authorization).toMatchObject({ status: "pending", scopes: ["a", "b"] });
    expect(await connectionOf(runtime, "alice")).toMatchObject({
      connection_status: "active",
      scopes: ["a"],
    });
    expect(await requirementOf(runtime, "alice", "Test.Narrow")).toMatchObject({ met: true });
    expect((await refusal(call(runtime, "alice"))).message).toContain("(b)");
  });
});
