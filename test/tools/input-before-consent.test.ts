// Nobody is sent to a consent for a call whose input is not valid: REST, the terminal, scheduled runs, MCP, chat.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { runProcess } from "../cli/support/processes";
import { client as mcpClient } from "../mcp/site";
import { say } from "../sandbox/models/chat-server";
import { api } from "../support/api";
import { type ChatSite, startChatSite } from "../support/chat-site";

type Input = { [name: string]: unknown };

let chat: ChatSite;
let gateway: string;
beforeAll(async () => {
  chat = await startChatSite();
  const { site } = chat;
  await site.addChatProvider();
  const operator = await site.runtime.identity.operator("default");
  await site.runtime.gateways.create(operator, { name: "All", slug: "all", auth_type: "arcade_header" });
  gateway = `${site.url}/mcp/all`;
});
afterAll(() => chat[Symbol.asyncDispose]());

// bob has consented to nothing.
const execute = async (input: Input, more: object = {}): Promise<string> => {
  const body = { tool_name: "Chat.SendMessage", user_id: "bob", input, ...more };
  return (await api(chat.site.url, chat.key).post("/v1/tools/execute", body)).text;
};
const mcp = () => mcpClient(gateway, { key: chat.key, user: "bob" });
const params = (input: Input) => ({ name: "Chat_SendMessage", arguments: { ...input } });

const WAYS: Readonly<Record<string, (input: Input) => Promise<string>>> = {
  REST: (input) => execute(input),
  "a scheduled run": (input) => execute(input, { run_at: "2030-01-31T09:30:00Z" }),
  "the terminal on the data folder": async (input) => {
    const argv = ["tools", "exec", "Chat.SendMessage", "--user", "bob", "--input", JSON.stringify(input)];
    const { stdout, stderr } = await runProcess(argv, { env: chat.site.environment });
    return stdout + stderr;
  },
  "MCP with sessions": async (input) => {
    const { session } = await mcp().initialize();
    const headers = { "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" };
    return (await mcp().legacy("tools/call", params(input), headers)).text;
  },
  "MCP without sessions": async (input) => (await mcp().modern("tools/call", params(input))).text,
  "the chat loop": async (input) => {
    const call = { name: "Chat_SendMessage", arguments: JSON.stringify(input) };
    chat.upstream.script((request, reply) => say(request, reply, { calls: [call] }));
    const messages = [{ role: "user", content: "Do it." }];
    const tools = ["Chat.SendMessage"];
    const request = { model: "test-model", messages, user: "bob", tools, tool_choice: "execute" };
    return (await chat.ask(request)).text;
  },
};

describe.each(Object.entries(WAYS))("%s:", (_name, run) => {
  test.each<[string, Input]>([
    ["a missing parameter", { channel_name: "general" }],
    ["a wrong type", { channel_name: "general", message: 5 }],
    ["an unknown parameter", { channel_name: "general", message: "x", mesage: "x" }],
    ["a message without a target", { message: "x" }],
  ])(
    "%s is reported instead of a consent",
    async (_what, input) => {
      const text = await run(input);

      expect(text).toMatch(/me?ssage|channel_name/);
      expect(text).toMatch(/not valid|needed|must|no parameter|None was given/);
      expect(text).not.toMatch(/\/authorize\/|must consent|authorization required/);
    },
    20_000,
  );
});

test("a valid input leads to the consent", async () => {
  expect(await execute({ channel_name: "general", message: "x" })).toContain("authorization required");
});
