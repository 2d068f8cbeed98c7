// Hooks apply to every entry point: REST, the terminal on the data folder, scheduled runs, MCP in both families, chat.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { loadConfig } from "../support/config";
import type { Principal } from "../../src/identity";
import { valueAt } from "../mcp/site";
import { api, at } from "../support/api";
import { Browser } from "../support/browser";
import { bytesOf, found } from "../support/canaries";
import type { ChatSite } from "../support/chat-site";
import { EntryPoints } from "./entry-points";
import type { WebhookPeer } from "./webhook-peer";

const entries = new EntryPoints();
let chat: ChatSite;
let peer: WebhookPeer;
let operator: Principal;
beforeAll(async () => {
  await entries.start();
  ({ chat, peer, operator } = entries.parts);
  await chat.site.addChatProvider();
  const started = await api(chat.site.url, chat.key).post("/v1/tools/authorize", {
    tool_name: "Chat.SendMessage",
    user_id: "alice",
  });
  await new Browser().consent(String(at(started.body, "url")), "alice");
});
afterAll(() => entries[Symbol.asyncDispose]());
beforeEach(() => {
  peer.asked.length = 0;
  chat.site.chat.clearRequests();
  chat.upstream.requests.length = 0;
});

const SEND = { channel_name: "general", message: "Hello from a test" };
const ways = Object.entries(entries.ways);

test("without a denial, each entry point sends the message", async () => {
  peer.respond = ({ path }) => (path === "access" ? {} : { code: "OK" });
  for (const [name, way] of ways) {
    const text = await way.run("Chat.SendMessage", SEND);
    expect({ name, text, sent: chat.site.chat.calls("chat.postMessage") }).toEqual({ name, text, sent: 1 });
    chat.site.chat.clearRequests();
  }
}, 30_000);

describe.each(ways)("%s:", (_name, way) => {
  test("a denial of a pre hook prevents requests to the platform", async () => {
    peer.respond = ({ path }) =>
      path === "access" ? {} : { code: "CHECK_FAILED", error_message: "not in this channel" };

    const text = await way.run("Chat.SendMessage", SEND);

    expect(text).toContain("denied by an extension policy: not in this channel");
    expect(chat.site.chat.requests).toEqual([]);
    expect(peer.count("pre")).toBe(1);
    expect(peer.count("post")).toBe(0);
  }, 20_000);

  test("a failure of a pre hook prevents requests to the platform", async () => {
    peer.respond = ({ path }) => (path === "access" ? {} : "maybe");

    const text = await way.run("Chat.SendMessage", SEND);

    expect(text).toContain("policy could not be checked");
    expect(chat.site.chat.requests).toEqual([]);
  }, 20_000);

  test("an access hook hides the tool", async () => {
    peer.respond = ({ path }) =>
      path === "access" ? { deny: { Chat: { tools: { SendMessage: [] } } } } : { code: "OK" };

    const text = await way.run("Chat.SendMessage", SEND).catch((error: Error) => error.message);

    expect(text.toLowerCase()).toMatch(/there is no tool|tool not found|no such tool|unknown tool/);
    expect(chat.site.chat.requests).toEqual([]);
    if (way.list === undefined) return;
    const listed = await way.list();
    expect([listed.includes("WhoAmI"), /"Chat[._]SendMessage"/.test(listed)]).toEqual([true, false]);
  }, 20_000);

  test("an access hook that denies a tool also hides the tools that it replaces", async () => {
    // As a policy that only names denied tools that it was asked about.
    peer.respond = ({ path, body }) =>
      path === "access" && at(body, "toolkits.Chat.tools.SendMessage") !== undefined
        ? { deny: { Chat: { tools: { SendMessage: [] } } } }
        : { code: "OK" };

    const text = await way.run("Chat.SendMessageToChannel", SEND).catch((error: Error) => error.message);

    expect(text.toLowerCase()).toMatch(/there is no tool|tool not found|no such tool|unknown tool/);
    expect(chat.site.chat.requests).toEqual([]);
    if (way.list === undefined) return;
    const listed = await way.list();
    expect([listed.includes("WhoAmI"), /SendMessageToChannel|SendDmToUser/.test(listed)]).toEqual([
      true,
      false,
    ]);
  }, 20_000);

  test("a pre hook that denies a tool by its name also denies the tools that it replaces", async () => {
    peer.respond = ({ path, body }) => {
      if (path === "access") return {};
      const isDenied = path === "pre" && at(body, "tool.name") === "SendMessage";
      return isDenied ? { code: "CHECK_FAILED", error_message: "no messages" } : { code: "OK" };
    };

    const text = await way.run("Chat.SendDmToUser", { user_name: "bob", message: "Hello" });

    expect(text).toContain("denied by an extension policy: no messages");
    expect(chat.site.chat.requests).toEqual([]);
  }, 20_000);

  test("a failure of an access hook hides and stops all tools", async () => {
    peer.respond = () => "maybe";

    const text = await way.run("Chat.WhoAmI", {}).catch((error: Error) => error.message);

    expect(text).not.toContain("alice@");
    expect(chat.site.chat.requests).toEqual([]);
    if (way.list !== undefined) expect(await way.list()).not.toContain("WhoAmI");
  }, 20_000);

  test("a replaced output is never returned, and neither output appears in logs and files", async () => {
    const replaced = "OUTPUT-BY-THE-HOOK-CANARY";
    const from = chat.site.logLines.length;
    entries.terminalLog.length = 0;
    peer.respond = ({ path }) =>
      path === "access"
        ? {}
        : path === "pre"
          ? { code: "OK" }
          : { code: "OK", override: { output: { replaced } } };

    const text = await way.run("Chat.WhoAmI", {});

    const original = String(at(peer.asked.find(({ path }) => path === "post")?.body, "output.email"));
    expect(original).toContain("@");
    expect([text.includes(replaced), text.includes(original)]).toEqual([true, false]);
    const canaries = { original, replaced };
    const log = [...entries.terminalLog, ...chat.site.logLines.slice(from)].join("\n");
    expect(log).toContain("hook decided");
    expect(found(canaries, log)).toEqual([]);
    await chat.site.runtime.trail.executions(operator, { limit: 1 });
    const folder = loadConfig({ environment: chat.site.environment }).dataFolder();
    expect(found({ replaced }, bytesOf(join(folder)))).toEqual([]);
  }, 20_000);
});

test.each([
  ["hides the tool", { deny: { Chat: { tools: { SendMessage: [] } } } }, -32602],
  ["gives no answer", "maybe", -32603],
])("over MCP, an access hook that %s causes a protocol error", async (_what, answer, code) => {
  peer.respond = () => answer;
  const call = { name: "Chat_SendMessage", arguments: SEND };

  const sessions = await entries.mcp().legacy("tools/call", call, await entries.session());
  const modern = await entries.mcp().modern("tools/call", call);

  expect([valueAt(sessions, "error.code"), valueAt(modern, "error.code")]).toEqual([code, code]);
  expect(chat.site.chat.requests).toEqual([]);
});
