// The main job over HTTP: provider, requirements, consent, execution.
import { expect, test } from "bun:test";
import { api, at } from "../support/api";
import { Browser } from "../support/browser";
import { chatProvider, startSite } from "../support/site";

test("an agent finds out what is missing, the user consents, the tool runs", async () => {
  await using site = await startSite();
  const admin = api(site.url, await site.key("admin"));
  const agent = api(site.url, await site.key("run"));

  const created = await admin.post("/v1/admin/auth_providers", chatProvider(site.chat));
  expect(created.status).toBe(201);
  expect(at(created.body, "oauth2.client_secret")).toEqual({
    binding: "project",
    editable: true,
    exists: true,
  });

  const request = { tool_names: ["Chat.SendMessage"], user_id: "alice" };
  const missing = await agent.post("/v1/tools/requirements", request);
  expect(at(missing.body, "met")).toBe(false);
  expect(at(missing.body, "authorization.items.slack.oauth2.scopes")).toContain("chat:write");

  const execute = {
    tool_name: "Chat.SendMessage",
    user_id: "alice",
    input: { channel_name: "general", message: "hello" },
  };
  const refused = await agent.post("/v1/tools/execute", execute);
  expect(refused.status).toBe(403);
  expect(at(refused.body, "name")).toBe("tool_requirements_not_met");
  expect(at(refused.body, "message")).toContain("authorization required");

  const started = await agent.post("/v1/tools/authorize", {
    tool_name: "Chat.SendMessage",
    user_id: "alice",
  });
  expect(at(started.body, "status")).toBe("pending");
  const waiting = agent.get(`/v1/auth/status?id=${String(at(started.body, "id"))}&wait=20`);
  const done = await new Browser().consent(String(at(started.body, "url")), "alice");
  expect(await done.text()).toContain("Connected");
  expect(at((await waiting).body, "status")).toBe("completed");

  const met = await agent.post("/v1/tools/requirements", request);
  expect(at(met.body, "met")).toBe(true);
  const executed = await agent.post("/v1/tools/execute", execute);
  expect(executed.status).toBe(200);
  expect(at(executed.body, "success")).toBe(true);
  const messages = await site.chat.messages(site.chat.channels.general.id);
  expect(messages.at(-1)).toMatchObject({ text: "hello", user: site.chat.people.alice.id });
});
