// A second consent: the same account keeps its refresh token and facts, another account replaces everything.
import { describe, expect, test } from "bun:test";
import { query } from "../../src/store";
import { deploy, type Deployment, type GrantOptions } from "../tools/deployment";
import { call, connectionOf, refusal, requirementOf } from "./executing";

const HOUR = 3600_000;
const AUDITED = query<{ action: string; actor: string; target: string }>(
  "SELECT action, actor, target FROM audit WHERE action LIKE 'connection.%' ORDER BY number",
);

/** Alice consents twice, at a provider that names the account. */
async function consentedTwice(
  first: GrantOptions,
  second: GrantOptions,
  record: object = { provider_id: "known" },
): Promise<Deployment & { connectionId: string }> {
  const deployment = await deploy();
  await deployment.addProvider(record);
  const connectionId = await deployment.give("alice", {
    access: "first",
    refresh: "refresh-first",
    ...first,
  });
  await deployment.give("alice", { access: "second", refresh: null, ...second });
  deployment.idp.otherwise({ body: { access_token: "third", expires_in: 60 } });
  return { ...deployment, connectionId };
}

const A1 = { facts: { account_id: "A1" } };
const A2 = { facts: { account_id: "A2" } };

describe("of the same account", () => {
  test.each([
    ["that the provider names", A1, A1, { provider_id: "known" }],
    ["if both are unknown", {}, {}, {}],
  ])(
    "%s keeps the earlier refresh token when no new one came [fault: lost-refresh-token]",
    async (_name, first, second, record) => {
      await using deployment = await consentedTwice(first, second, record);
      const { runtime, idp, clock } = deployment;
      clock.move(HOUR);

      expect((await call(runtime, "alice")).success).toBe(true);
      expect(idp.requests.map(({ params }) => params["refresh_token"])).toEqual(["refresh-first"]);
    },
  );

  test("uses the new refresh token if there is one", async () => {
    await using deployment = await consentedTwice(A1, { ...A1, refresh: "refresh-second" });
    const { runtime, idp, clock } = deployment;
    clock.move(HOUR);
    await call(runtime, "alice");

    expect(idp.requests.map(({ params }) => params["refresh_token"])).toEqual(["refresh-second"]);
  });

  test("keeps the id of the connection, uses the new token, and is not audited as a change", async () => {
    await using deployment = await consentedTwice(A1, A1);
    const { runtime, platform, connectionId } = deployment;
    await call(runtime, "alice");

    expect(await connectionOf(runtime, "alice")).toMatchObject({ id: connectionId });
    expect(platform.tokens()).toEqual(["second"]);
    expect(await runtime.core.store.all(AUDITED)).toEqual([]);
  });

  test("has the scopes of the second answer only", async () => {
    await using deployment = await consentedTwice(A1, { ...A1, scopes: ["a"] });

    expect(await connectionOf(deployment.runtime, "alice")).toMatchObject({ scopes: ["a"] });
  });

  test("keeps nothing of a dead grant", async () => {
    await using deployment = await deploy();
    const { runtime, idp, clock } = deployment;
    await deployment.addProvider();
    await deployment.give("alice", { refresh: "dead" });
    idp.queue({ status: 400, body: { error: "invalid_grant" } });
    clock.move(HOUR);
    await refusal(call(runtime, "alice"));
    await deployment.give("alice", { access: "second", refresh: null, expiresIn: 60 });
    const alive = await call(runtime, "alice");
    clock.move(HOUR);

    expect(alive.success).toBe(true);
    expect(await requirementOf(runtime, "alice")).toMatchObject({ met: false });
    expect(idp.requests).toHaveLength(1);
  });
});

describe("of another account", () => {
  const others: [string, GrantOptions, GrantOptions][] = [
    ["that the provider names", A1, A2],
    ["because the second one is unknown", A1, {}],
    ["because the first one was unknown", {}, A2],
  ];

  test.each(others)("%s does not keep the refresh token of the first", async (_name, first, second) => {
    await using deployment = await consentedTwice(first, second);
    const { runtime, idp, clock } = deployment;
    clock.move(HOUR);

    expect((await refusal(call(runtime, "alice"))).status).toBe(403);
    expect(idp.requests).toEqual([]);
  });

  test("does not keep scopes and facts of the first", async () => {
    await using deployment = await consentedTwice({ ...A1, scopes: ["a", "b"] }, { ...A2, scopes: ["a"] });
    const { runtime } = deployment;

    expect(await connectionOf(runtime, "alice")).toMatchObject({ scopes: ["a"] });
    expect((await refusal(call(runtime, "alice"))).message).toContain("(b)");
  });

  test("is in the audit trail", async () => {
    await using deployment = await consentedTwice(A1, A2);
    const { runtime, connectionId } = deployment;

    expect(await runtime.core.store.all(AUDITED)).toEqual([
      {
        action: "connection.account_changed",
        actor: expect.stringMatching(/^user:ps_[0-9a-f]{32}$/),
        target: connectionId,
      },
    ]);
  });
});
