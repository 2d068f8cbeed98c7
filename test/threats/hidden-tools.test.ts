// A tool that a user does not see, called nevertheless: by each of its names, in each protocol. It is hidden by the list of
// a gateway, by an access hook, or by a setting of the project.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { client, valueAt } from "../mcp/site";
import { type WebhookPeer, webhookPeer } from "../hooks/webhook-peer";
import { say } from "../sandbox/models/chat-server";
import { api, at } from "../support/api";
import { Browser } from "../support/browser";
import { type ChatSite, startChatSite } from "../support/chat-site";
import { printFigure } from "./figure";

const SEND = { channel_name: "general", message: "Hello" };
/** All forms in which people and models name the tool. */
const NAMES = [
  "Chat.SendMessage",
  "Chat_SendMessage",
  "chat.sendmessage",
  "CHAT_SENDMESSAGE",
  "Chat.SendMessage@1.0.0",
  "Chat.SendMessageToChannel",
  "Chat_SendMessageToChannel",
];

let chat: ChatSite;
let peer: WebhookPeer;
let read: string;
beforeAll(async () => {
  chat = await startChatSite();
  peer = await webhookPeer();
  const { site } = chat;
  await site.addChatProvider();
  const wish = { tool_name: "Chat.SendMessage", user_id: "alice" };
  const started = await api(site.url, chat.key).post("/v1/tools/authorize", wish);
  await new Browser().consent(String(at(started.body, "url")), "alice");
  const operator = await site.runtime.identity.operator("default");
  const auth_type = "arcade_header" as const;
  const tool_filter = { allowed_tools: ["Chat.WhoAmI"] };
  await site.runtime.gateways.create(operator, { name: "narrow", slug: "narrow", auth_type, tool_filter });
  await site.runtime.gateways.create(operator, {
    name: "none",
    slug: "none",
    auth_type,
    tool_filter: { allowed_tools: [] },
  });
  await site.runtime.gateways.create(operator, { name: "all", slug: "all", auth_type });
  const search = { discovery: { enabled: true, pinned_asset_keys: ["Chat.SendMessage"] } };
  for (const [slug, filter] of [["search", {}] as const, ["narrow-search", tool_filter] as const])
    await site.runtime.gateways.create(operator, {
      name: slug,
      slug,
      auth_type,
      tool_filter: { ...filter, ...search },
    });
  const url = `${peer.url}/access`;
  await site.runtime.plugins.create(operator, {
    name: "guard",
    plugin_type: "webhook",
    status: "active",
    webhook_config: { endpoints: { access: { url, phase: "before", failure_mode: "fail_closed" } } },
  });
  read = await site.key("admin");
});
afterAll(async () => {
  peer[Symbol.dispose]();
  await chat[Symbol.asyncDispose]();
});
beforeEach(() => {
  chat.site.chat.clearRequests();
  peer.respond = () => ({});
});

/** From now on the model asks for the call, and answers once it has a result. */
function askFor(call: { name: string; arguments: string }): void {
  chat.upstream.script((request, reply) =>
    say(request, reply, request.messages.at(-1)?.role === "tool" ? { content: "done" } : { calls: [call] }),
  );
}

let tried = 0;
afterAll(() =>
  printFigure("a hidden tool that is still callable", `${tried} calls of hidden tools: 0 reach the platform`),
);

const expectNothingSent = (): void => {
  expect(chat.site.chat.calls("chat.postMessage")).toBe(0);
  tried += 1;
};

const atGateway =
  (slug: string, family: "legacy" | "modern") =>
  (name: string, input: object = SEND) =>
    client(`${chat.site.url}/mcp/${slug}`, { key: chat.key, user: "alice" })[family]("tools/call", {
      name,
      arguments: input,
    });

test("without anything that hides it, the tool is called", async () => {
  await atGateway("all", "modern")("Chat_SendMessage");

  expect(chat.site.chat.calls("chat.postMessage")).toBe(1);
});

describe.each(["narrow", "none"])("at the gateway %s, which does not offer it,", (slug) => {
  test.each(["legacy", "modern"] as const)("no name of it works (%s)", async (family) => {
    for (const name of NAMES) {
      const answer = await atGateway(slug, family)(name);
      expect([name, valueAt(answer, "error.code")]).toEqual([name, -32602]);
      expectNothingSent();
    }
  });
});

/** What a client that searches can learn of the tool, and whether it can call it. */
async function expectNotFound(slug: string, family: "legacy" | "modern"): Promise<void> {
  const own = client(`${chat.site.url}/mcp/${slug}`, { key: chat.key, user: "alice" });
  const call = (name: string, input: object) => own[family]("tools/call", { name, arguments: input });
  const words = { query: "send a message to a channel or to one or more people", limit: 50 };

  expect((await own[family]("tools/list")).text).not.toContain("SendMessage");
  expect((await call("search_tools", words)).text).not.toContain("SendMessage");
  for (const name of NAMES) {
    const unknown = await call("describe_tool", { name: `${name}s` });
    const answers = [
      await call("describe_tool", { name }),
      await call("call_tool", { name, arguments: SEND }),
      await call("call_tool", { name, arguments: { wrong: 1 } }),
    ];
    const expected = String(valueAt(unknown, "result.content.0.text")).replace(`${name}s`, name);
    for (const answer of answers) {
      expect([name, valueAt(answer, "result.content.0.text")]).toEqual([name, expected]);
      expectNothingSent();
    }
  }
}

test.each(["legacy", "modern"] as const)("a client that searches finds and calls it (%s)", async (family) => {
  await atGateway("search", family)("call_tool", { name: "Chat_SendMessage", arguments: SEND });

  expect(chat.site.chat.calls("chat.postMessage")).toBe(1);
});

test.each(["legacy", "modern"] as const)(
  "a gateway that does not offer it does not find it either (%s)",
  (family) => expectNotFound("narrow-search", family),
);

describe("hidden by a hook,", () => {
  beforeEach(() => {
    peer.respond = () => ({ deny: { Chat: { tools: { SendMessage: [] } } } });
  });

  test.each(NAMES)("%s is not found", async (tool_name) => {
    const agent = api(chat.site.url, chat.key);
    const run = { tool_name, user_id: "alice", input: SEND };
    const answers = [
      await agent.post("/v1/tools/execute", run),
      await agent.post("/v1/tools/execute", { ...run, run_at: "2999-01-01T00:00:00" }),
      await agent.post("/v1/tools/authorize", { tool_name, user_id: "alice" }),
      await agent.post("/v1/tools/requirements", { tool_names: [tool_name], user_id: "alice" }),
      await agent.get(`/v1/tools/${tool_name}?user_id=alice`),
      await agent.get(`/v1/formatted_tools/${tool_name}?user_id=alice`),
    ];

    expect(answers.map(({ status }) => (status === 400 || status === 404 ? "refused" : status))).toEqual(
      answers.map(() => "refused"),
    );
    expectNothingSent();
  });

  test.each(["legacy", "modern"] as const)("it is not offered at a gateway (%s)", async (family) => {
    for (const name of NAMES) {
      const text = (await atGateway("all", family)(name)).text;
      expect(text).not.toContain('"success":true');
      expectNothingSent();
    }
  });

  test.each(["legacy", "modern"] as const)("a client that searches does not find it (%s)", (family) =>
    expectNotFound("search", family),
  );

  test("a search over the API does not find it", async () => {
    const found = await api(chat.site.url, chat.key).get(
      "/v1/tools?query=send%20a%20message&limit=100&user_id=alice",
    );

    expect(found.status).toBe(200);
    expect(JSON.stringify(found.body)).not.toContain('"Chat.SendMessage"');
  });

  test("the chat loop calls it neither for a caller nor for a model that asks for it by itself", async () => {
    for (const tool of ["Chat.SendMessage", "Chat.WhoAmI"]) {
      const call = { name: "Chat_SendMessage", arguments: JSON.stringify(SEND) };
      askFor(call);
      const messages = [{ role: "user", content: "Do it." }];
      const request = {
        model: "test-model",
        messages,
        user: "alice",
        tools: [tool],
        tool_choice: "generate",
      };
      await chat.ask(request).catch(() => undefined);
      expectNothingSent();
    }
  });

  test("it is found again when the hook allows it", async () => {
    peer.respond = () => ({});
    const run = { tool_name: "Chat.SendMessage", user_id: "alice", input: SEND };

    expect(at((await api(chat.site.url, chat.key).post("/v1/tools/execute", run)).body, "success")).toBe(
      true,
    );
  });
});

test("a model that may only run tools that read does not run another one", async () => {
  const admin = api(chat.site.url, read);
  await admin.put("/v1/admin/settings/runnable_tools", { tools: "read_only" });
  const call = { name: "Chat_SendMessage", arguments: JSON.stringify(SEND) };
  askFor(call);
  const messages = [{ role: "user", content: "Do it." }];
  const request = {
    model: "test-model",
    messages,
    user: "alice",
    tools: ["Chat.WhoAmI"],
    tool_choice: "generate",
  };
  await chat.ask(request);

  expectNothingSent();
});
