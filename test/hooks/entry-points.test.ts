// Hooks apply to every entry point: REST, the terminal on the data folder, scheduled runs, MCP in both families, chat.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { loadConfig } from "../support/config";
import type { Principal } from "../../src/identity";
import { runProcess } from "../cli/support/processes";
import { until } from "../connections/executing";
import { client as mcpClient, valueAt } from "../mcp/site";
import { say } from "../sandbox/models/chat-server";
import { movableClock } from "../server/stage";
import { api, at } from "../support/api";
import { Browser } from "../support/browser";
import { bytesOf, found } from "../support/canaries";
import { type ChatSite, startChatSite } from "../support/chat-site";
import { type WebhookPeer, webhookPeer } from "./webhook-peer";

const clock = movableClock();
let chat: ChatSite;
let peer: WebhookPeer;
let operator: Principal;
let gateway: string;
beforeAll(async () => {
  chat = await startChatSite({ parts: { clock } });
  peer = await webhookPeer();
  const { site } = chat;
  const { runtime } = site;
  operator = await runtime.identity.operator("default");
  await site.addChatProvider();
  const started = await api(site.url, chat.key).post("/v1/tools/authorize", {
    tool_name: "Chat.SendMessage",
    user_id: "alice",
  });
  await new Browser().consent(String(at(started.body, "url")), "alice");
  const endpoint = (point: string) => ({
    url: `${peer.url}/${point}`,
    phase: "before" as const,
    failure_mode: "fail_closed" as const,
    timeout_ms: 20_000,
  });
  await runtime.plugins.create(operator, {
    name: "guard",
    plugin_type: "webhook",
    status: "active",
    webhook_config: {
      endpoints: { access: endpoint("access"), pre: endpoint("pre"), post: endpoint("post") },
    },
  });
  await runtime.gateways.create(operator, { name: "All", slug: "all", auth_type: "arcade_header" });
  gateway = `${site.url}/mcp/all`;
});
afterAll(async () => {
  peer[Symbol.dispose]();
  await chat[Symbol.asyncDispose]();
});
beforeEach(() => {
  peer.asked.length = 0;
  chat.site.chat.clearRequests();
  chat.upstream.requests.length = 0;
});

interface Way {
  /** Runs a tool for alice and returns everything that the caller receives. */
  run(tool: string, input: { [name: string]: unknown }): Promise<string>;
  /** The tools that alice sees; absent: this entry point has no list. */
  list?(): Promise<string>;
}

const agent = () => api(chat.site.url, chat.key);
const mcp = () => mcpClient(gateway, { key: chat.key, user: "alice" });
const modelName = (tool: string): string => tool.replace(".", "_");

async function session(): Promise<Record<string, string>> {
  const { session: id } = await mcp().initialize();
  return { "mcp-session-id": id, "mcp-protocol-version": "2025-11-25" };
}

/** Log lines of commands. */
const terminalLog: string[] = [];

async function commandLine(argv: readonly string[]): Promise<string> {
  const env = { ...chat.site.environment, RUNTIME_LOG_LEVEL: "debug" };
  const { stdout, stderr, code } = await runProcess(argv, { env });
  terminalLog.push(...stderr.split("\n").filter((line) => line !== ""));
  return `${stdout}${stderr}exit ${code}`;
}

const WAYS: Readonly<Record<string, Way>> = {
  REST: {
    run: async (tool_name, input) =>
      (await agent().post("/v1/tools/execute", { tool_name, user_id: "alice", input })).text,
    list: async () => (await agent().get("/v1/tools?user_id=alice&limit=100")).text,
  },
  "the terminal on the data folder": {
    run: (tool, input) =>
      commandLine(["tools", "exec", tool, "--user", "alice", "--input", JSON.stringify(input)]),
    list: () => commandLine(["tools", "list", "--user", "alice", "-o", "json"]),
  },
  "a scheduled run": {
    run: async (tool_name, input) => {
      const { runtime } = chat.site;
      const request = { tool_name, user_id: "alice", input, run_at: "2020-01-01T00:00:00" };
      const { id } = await runtime.tools.execute(operator, request);
      const look = () => runtime.tools.scheduled.get(operator, id);
      // It may be retried after a while. The clock stops during an attempt, whose time limit uses it.
      let waited = 0;
      await until(async () => {
        const { attempts, finished_at } = await look();
        if (attempts.length > waited && attempts.at(-1)?.finished_at !== undefined) {
          waited = attempts.length;
          clock.move(61_000);
        }
        return finished_at !== undefined;
      });
      return JSON.stringify(await look());
    },
  },
  "MCP with sessions": {
    run: async (tool, input) =>
      (await mcp().legacy("tools/call", { name: modelName(tool), arguments: input }, await session())).text,
    list: async () => (await mcp().legacy("tools/list", {}, await session())).text,
  },
  "MCP without sessions": {
    run: async (tool, input) =>
      (await mcp().modern("tools/call", { name: modelName(tool), arguments: { ...input } })).text,
    list: async () => (await mcp().modern("tools/list")).text,
  },
  "the chat loop": {
    run: async (tool, input) => {
      const call = { name: modelName(tool), arguments: JSON.stringify(input) };
      chat.upstream.script((request, reply) => say(request, reply, { calls: [call] }));
      const messages = [{ role: "user", content: "Do it." }];
      const request = { model: "test-model", messages, user: "alice", tools: [tool], tool_choice: "execute" };
      return (await chat.ask(request)).text;
    },
  },
};

const SEND = { channel_name: "general", message: "Hello from a test" };
const ways = Object.entries(WAYS);

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
    terminalLog.length = 0;
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
    const log = [...terminalLog, ...chat.site.logLines.slice(from)].join("\n");
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

  const sessions = await mcp().legacy("tools/call", call, await session());
  const modern = await mcp().modern("tools/call", call);

  expect([valueAt(sessions, "error.code"), valueAt(modern, "error.code")]).toEqual([code, code]);
  expect(chat.site.chat.requests).toEqual([]);
});
