// Chat tools through the whole runtime, over HTTP: listing, consent, execution, and what a lost token or scope does.
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { api, at } from "../../support/api";
import { Browser } from "../../support/browser";
import { type Site, startSite } from "../../support/site";

let site: Site;
let agent: ReturnType<typeof api>;
beforeAll(async () => {
  site = await startSite({ chatOptions: { rotation: true } });
  await site.addChatProvider();
  agent = api(site.url, await site.key("run"));
  for (const tool of ["Chat.GetMessages", "Chat.SendMessage"]) await consent(tool, "alice");
});
afterAll(() => site[Symbol.asyncDispose]());
beforeEach(() => site.chat.clearRequests());

async function consent(tool_name: string, user_id: string): Promise<void> {
  const started = await agent.post("/v1/tools/authorize", { tool_name, user_id });
  await new Browser().consent(String(at(started.body, "url")), user_id);
}

const execute = (tool_name: string, input: unknown, user_id = "alice") =>
  agent.post("/v1/tools/execute", { tool_name, user_id, input });

test("all 26 tools are listed, and the deprecated ones say what replaces them", async () => {
  const listed = await agent.get("/v1/tools?toolkit=Chat&limit=100");
  expect(at(listed.body, "items")).toHaveLength(26);
  const old = await agent.get("/v1/tools/Chat.SendDmToUser");
  expect(at(old.body, "deprecation_message")).toContain("Chat.SendMessage");
});

test("messages are read, with what a model writes for numbers and for nothing", async () => {
  const { id: conversation_id } = site.chat.channels.random;
  await site.chat.addMessage(conversation_id, { text: "hello", user: "bob" });
  const input = {
    conversation_id,
    limit: "5",
    next_cursor: "",
    usernames: null,
    oldest_relative: "01:00:00",
  };
  const executed = await execute("Chat.GetMessages", input);
  expect(at(executed.body, "output.value")).toMatchObject({
    messages: [{ text: "hello", user: { id: site.chat.people.bob.id, name: "bob" } }],
    next_cursor: null,
  });
});

test("a deprecated tool works, and its log names the replacement", async () => {
  const executed = await execute("Chat.ListPublicChannelsMetadata", { limit: null });
  expect(at(executed.body, "success")).toBe(true);
  expect(at(executed.body, "output.logs.0")).toMatchObject({
    level: "warning",
    subtype: "deprecation",
    message: expect.stringContaining("Chat.ListConversations"),
  });
});

test("a rule that is broken is an error of the tool, and sends nothing", async () => {
  const input = { conversation_id: "C1", channel_name: "general" };
  const executed = await execute("Chat.GetUsersInConversation", input);
  expect(at(executed.body, "output.error")).toMatchObject({
    kind: "TOOL_RUNTIME_BAD_INPUT_VALUE",
    status_code: 400,
    can_retry: false,
  });
  expect(site.chat.calls()).toBe(0);
});

test("a token that has expired is refreshed, and exactly one message is posted", async () => {
  await execute("Chat.WhoAmI", {});
  site.chat.expireToken(site.chat.requests[0]?.token ?? "");
  const message = crypto.randomUUID();
  const executed = await execute("Chat.SendMessage", { channel_name: "general", message });
  expect(at(executed.body, "success")).toBe(true);
  const posted = await site.chat.messages(site.chat.channels.general.id);
  expect(posted.filter(({ text }) => text === message)).toHaveLength(1);
  expect(site.chat.calls("refresh")).toBe(1);
});

test("a message whose answer was lost is not posted again, and its outcome is called unknown", async () => {
  site.chat.fail("chat.postMessage", { kind: "reset_after" });
  const message = crypto.randomUUID();
  const executed = await execute("Chat.SendMessage", { channel_name: "general", message });
  expect(at(executed.body, "output.error")).toMatchObject({
    can_retry: false,
    extra: { outcome: "unknown" },
  });
  const posted = await site.chat.messages(site.chat.channels.general.id);
  expect(posted.filter(({ text }) => text === message)).toHaveLength(1);
});

test("without the scope for group messages nothing is posted, and that scope alone is missing", async () => {
  site.chat.denyScopes(["mpim:write"]);
  await consent("Chat.SendMessage", "bob");
  const { alice, carol } = site.chat.people;
  const input = { user_ids: [alice.id, carol.id], message: "hi" };
  const executed = await execute("Chat.SendMessage", input, "bob");
  expect(executed.status).toBe(403);
  expect(site.chat.calls("chat.postMessage")).toBe(0);

  const query = { tool_names: ["Chat.SendMessage", "Chat.GetConversationMetadata"], user_id: "bob" };
  const owed = await agent.post("/v1/tools/requirements", query);
  expect(at(owed.body, "authorization.items.slack.oauth2.scopes")).toEqual(["mpim:write"]);

  // Readers do without it.
  const read = await execute("Chat.GetConversationMetadata", { user_ids: input.user_ids }, "bob");
  expect(at(read.body, "output.error.kind")).toBe("UPSTREAM_RUNTIME_NOT_FOUND");
  expect(at(read.body, "output.error.message")).toContain("no conversation with these people yet");
});
