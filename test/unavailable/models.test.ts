// The database goes away during a request to a language model: the answer is 503 as long as nothing of it has been sent.
import { afterAll, beforeAll, describe, test } from "bun:test";
import { say } from "../sandbox/models/chat-server";
import { asking, type ChatSite, startChatSite } from "../support/chat-site";
import { Failing } from "../support/failing-store";
import { FAILURES, sweep } from "./sweep";

describe.each(FAILURES)("the database fails %s:", (_name, once) => {
  const failing = new Failing();
  let chat: ChatSite;
  beforeAll(async () => {
    chat = await startChatSite({ parts: { openStore: failing.openStore } });
    chat.upstream.script((request, reply) => say(request, reply, { content: "Hello." }));
  });
  afterAll(() => chat[Symbol.asyncDispose]());

  const post = (path: string, body: object) =>
    fetch(chat.site.url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${chat.key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const tools = { user: "alice", tools: ["Chat.WhoAmI"], tool_choice: "generate" };

  const requests: [name: string, send: () => Promise<Response>][] = [
    ["a completion", () => post("/v1/chat/completions", asking())],
    ["a stream", () => post("/v1/chat/completions", asking({ stream: true }))],
    ["a completion with tools", () => post("/v1/chat/completions", asking(tools))],
    ["a stream with tools", () => post("/v1/chat/completions", asking({ ...tools, stream: true }))],
    ["a response", () => post("/v1/responses", { model: "test-model", input: "Hello?" })],
    ["embeddings", () => post("/v1/embeddings", { model: "test-model", input: "Hello?" })],
    [
      "the list of models",
      () => fetch(`${chat.site.url}/v1/models`, { headers: { authorization: chat.key } }),
    ],
  ];

  test.each(requests)("%s", (_request, send) => sweep(failing, once, [200], async () => send));
});
