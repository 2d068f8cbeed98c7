// What a refresh stores of the answer.
import { expect, test } from "bun:test";
import { deploy, type Deployment } from "../tools/deployment";
import { call, connectionOf, refusal, requirementOf } from "./executing";

const HOUR = 3600_000;

/** Alice's grant after a refresh with this answer. */
async function refreshed(answer: object): Promise<Deployment> {
  const deployment = await deploy();
  await deployment.addProvider();
  await deployment.give("alice");
  deployment.idp.queue({ body: { access_token: "second", ...answer } });
  deployment.clock.move(HOUR);
  await call(deployment.runtime, "alice", "Test.Narrow");
  return deployment;
}

test("without a refresh token in it, the earlier one is kept [fault: lost-refresh-token]", async () => {
  await using deployment = await refreshed({ expires_in: 60 });
  deployment.idp.queue({ body: { access_token: "third" } });
  deployment.clock.move(HOUR);

  expect((await call(deployment.runtime, "alice")).success).toBe(true);
  expect(deployment.idp.requests.map(({ params }) => params["refresh_token"])).toEqual([
    "refresh-of-alice",
    "refresh-of-alice",
  ]);
});

test("with a refresh token in it, that one is used next", async () => {
  await using deployment = await refreshed({ expires_in: 60, refresh_token: "newer" });
  deployment.idp.queue({ body: { access_token: "third" } });
  deployment.clock.move(HOUR);
  await call(deployment.runtime, "alice");

  expect(deployment.idp.requests.at(-1)?.params["refresh_token"]).toBe("newer");
});

test("without a lifetime in it, the token is not refreshed by time", async () => {
  await using deployment = await refreshed({});
  deployment.clock.move(1000 * HOUR);

  expect((await call(deployment.runtime, "alice")).success).toBe(true);
  expect(deployment.idp.requests).toHaveLength(1);
});

test("without scopes in it, the scopes are unchanged", async () => {
  await using deployment = await refreshed({});

  expect(await connectionOf(deployment.runtime, "alice")).toMatchObject({ scopes: ["a", "b"] });
});

test("with fewer scopes in it, exactly the tools that need the lost one are refused", async () => {
  await using deployment = await refreshed({ scope: "a" });
  const { runtime } = deployment;

  expect(await requirementOf(runtime, "alice", "Test.Call")).toMatchObject({
    met: false,
    oauth2: { scopes: ["b"] },
  });
  expect(await requirementOf(runtime, "alice", "Test.Narrow")).toMatchObject({ met: true });
  expect((await refusal(call(runtime, "alice", "Test.Call"))).status).toBe(403);
  expect((await call(runtime, "alice", "Test.Narrow")).success).toBe(true);
});

test("the call whose refresh returns fewer scopes is refused too", async () => {
  await using deployment = await deploy();
  const { runtime, idp, clock, platform } = deployment;
  await deployment.addProvider();
  await deployment.give("alice");
  idp.queue({ body: { access_token: "second", scope: "a" } });
  clock.move(HOUR);

  const refused = await refusal(call(runtime, "alice"));

  expect([refused.status, refused.message]).toEqual([403, expect.stringContaining("(b)")]);
  expect(platform.calls).toEqual([]);
});

test("other facts from the consent are kept", async () => {
  await using deployment = await deploy();
  const { runtime, idp, clock, test: catalog } = deployment;
  await deployment.addProvider({ provider_id: "known" });
  await deployment.give("alice", { facts: { account_id: "A1" } });
  idp.queue({ body: { access_token: "second", expires_in: 60 } });
  clock.move(HOUR);
  catalog.act = async (_input, { grant }) => grant?.facts;

  expect((await call(runtime, "alice", "Test.ActFor")).output?.value).toEqual({ account_id: "A1" });
});

test("with another account in it, it is not used: the user must consent again, and the log has the reason", async () => {
  await using deployment = await deploy();
  const { runtime, idp, clock, platform, logLines } = deployment;
  await deployment.addProvider({ provider_id: "known" });
  await deployment.give("alice", { facts: { account_id: "A1" } });
  idp.queue({ body: { access_token: "of-another", expires_in: 3600, account: { id: "A2" } } });
  clock.move(HOUR);

  const refused = await refusal(call(runtime, "alice"));

  expect([refused.status, refused.message]).toEqual([403, expect.stringContaining("another account")]);
  expect(platform.tokens()).toEqual([]);
  expect(await connectionOf(runtime, "alice")).toMatchObject({ connection_status: "expired" });
  expect(logLines.join("\n")).toContain("token of another account");
  expect(logLines.join("\n")).not.toContain("of-another");
});

test.each([
  ["the same account", { account: { id: "A1" } }],
  ["no account", {}],
])("with %s in it, it is used", async (_what, answer) => {
  await using deployment = await deploy();
  await deployment.addProvider({ provider_id: "known" });
  await deployment.give("alice", { facts: { account_id: "A1" } });
  deployment.idp.queue({ body: { access_token: "second", expires_in: 3600, ...answer } });
  deployment.clock.move(HOUR);

  expect((await call(deployment.runtime, "alice")).success).toBe(true);
  expect(deployment.platform.tokens()).toEqual(["second"]);
});
