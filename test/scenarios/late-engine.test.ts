// The whole product on the engine that answers a turn later: code that relies on synchronous answers of the store fails.
import { expect, test } from "bun:test";
import { RotatingGrants } from "../support/token-endpoint";
import { api, at, call } from "../support/api";
import { Browser } from "../support/browser";
import { openLateStore } from "../support/late-store";
import { chatProvider, type Site, startSite } from "../support/site";
import { call as callTool, succeeded, times } from "../connections/executing";
import { deploy, MovableClock } from "../tools/deployment";

const parts = { openStore: openLateStore };
const HOUR = 3600_000;

async function consent(
  site: Site,
  key: string,
  user_id: string,
  tool_name = "Chat.SendMessage",
): Promise<string> {
  const started = await api(site.url, key).post("/v1/tools/authorize", { tool_name, user_id });
  const done = await new Browser().consent(String(at(started.body, "url")), user_id);
  expect(await done.text()).toContain("Connected");
  return String(at(started.body, "id"));
}

test("the main job: provider, requirements, consent, execution", async () => {
  await using site = await startSite({ parts });
  const admin = api(site.url, await site.key("admin"));
  const key = await site.key("run");
  const agent = api(site.url, key);
  const created = await admin.post("/v1/admin/auth_providers", chatProvider(site.chat));
  const request = { tool_names: ["Chat.SendMessage"], user_id: "alice" };
  const missing = await agent.post("/v1/tools/requirements", request);
  const execute = {
    tool_name: "Chat.SendMessage",
    user_id: "alice",
    input: { channel_name: "general", message: "hello" },
  };
  const refused = await agent.post("/v1/tools/execute", execute);
  const authorization = await consent(site, key, "alice");
  const status = await agent.get(`/v1/auth/status?id=${authorization}&wait=20`);
  const met = await agent.post("/v1/tools/requirements", request);
  const executed = await agent.post("/v1/tools/execute", execute);
  const connections = await admin.get("/v1/admin/user_connections");

  expect([created.status, refused.status, executed.status]).toEqual([201, 403, 200]);
  expect([at(missing.body, "met"), at(met.body, "met")]).toEqual([false, true]);
  expect(at(status.body, "status")).toBe("completed");
  expect(at(executed.body, "success")).toBe(true);
  expect(at(connections.body, "total_count")).toBe(1);
  const messages = await site.chat.messages(site.chat.channels.general.id);
  expect(messages.at(-1)?.text).toBe("hello");
});

test("an expired single-use token is refreshed once for 20 calls, over HTTP and directly", async () => {
  const clock = new MovableClock();
  await using site = await startSite({
    parts: { ...parts, clock },
    chatOptions: { rotation: { expiresIn: 3600 }, now: clock.now },
  });
  await site.addChatProvider();
  const key = await site.key("run");
  await consent(site, key, "alice", "Chat.WhoAmI");
  site.chat.fail("refresh", { kind: "delay", ms: 300 });
  clock.move(HOUR);
  const request = { tool_name: "Chat.WhoAmI", user_id: "alice" };
  const principal = await site.runtime.identity.authenticate(key);

  const outcomes = await times(20, async (index) =>
    index % 2 === 0
      ? (await site.runtime.tools.execute(principal, request)).success
      : at((await api(site.url, key).post("/v1/tools/execute", request)).body, "success"),
  );

  expect(outcomes).toEqual(outcomes.map(() => true));
  expect(site.chat.calls("refresh")).toBe(1);
});

test("an expired single-use token is refreshed once for 10 calls in each of two processes", async () => {
  await using deployment = await deploy({ parts });
  const grants = new RotatingGrants();
  const other = await deployment.another();
  await deployment.addProvider();
  await deployment.give("alice", grants.issue("alice"));
  deployment.idp.otherwise((request) => ({ ...grants.answer(request), delayMs: 200 }));
  deployment.clock.move(HOUR);

  const executions = await times(20, (index) =>
    callTool(index % 2 === 0 ? deployment.runtime : other, "alice"),
  );

  expect(succeeded(executions)).toBe(20);
  expect(deployment.idp.requests).toHaveLength(1);
});

test("one Idempotency-Key sent 20 times at the same time sends one message and returns 20 equal answers", async () => {
  await using site = await startSite({ parts });
  await site.addChatProvider();
  const key = await site.key("run");
  await consent(site, key, "alice");
  const { id } = site.chat.channels.general;
  const before = (await site.chat.messages(id)).length;
  const body = {
    tool_name: "Chat.SendMessage",
    user_id: "alice",
    input: { conversation_id: id, message: "once" },
  };
  const headers = { "idempotency-key": "stainless-node-retry-1" };

  const answers = await times(20, () =>
    call(site.url, { method: "POST", path: "/v1/tools/execute", key, body, headers }),
  );

  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(at(answers[0]?.body, "success")).toBe(true);
  expect((await site.chat.messages(id)).length).toBe(before + 1);
});
