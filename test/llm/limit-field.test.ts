// The field of the length limit: what an entry says, and what is known of servers.
import { describe, expect, test } from "bun:test";
import { limitFieldOf, withLimitField, withLimitFieldText } from "../../src/llm/limit-field";
import { asking, startChatSite } from "../support/chat-site";
import { say } from "../sandbox/models/chat-server";

describe("a known server", () => {
  test.each([
    ["https://api.openai.com/v1", "max_completion_tokens"],
    ["https://mine.openai.azure.com/openai/v1", "max_completion_tokens"],
    ["https://api.mistral.ai/v1", "max_tokens"],
    ["http://127.0.0.1:11434/v1", undefined],
    ["https://api.openai.com.example/v1", undefined],
  ] as const)("%s takes %p", (address, field) => {
    expect(limitFieldOf(address)).toBe(field);
  });
});

describe("a request", () => {
  const text = '{ "max_tokens" : 7 , "x":{"max_tokens":1},"n":12345678901234567890}';

  test("is renamed in its place, and stays the same otherwise", () => {
    expect(withLimitFieldText(text, { max_tokens: 7 }, "max_completion_tokens")).toBe(
      '{ "max_completion_tokens": 7 , "x":{"max_tokens":1},"n":12345678901234567890}',
    );
    expect(withLimitFieldText(text, { max_tokens: 7 }, "max_tokens")).toBe(text);
    expect(withLimitFieldText(text, { max_tokens: 7 }, undefined)).toBe(text);
  });

  test.each([
    ['{"max_tokens":7,"max_completion_tokens":7,"a":1}', '{"max_completion_tokens":7,"a":1}'],
    ['{"a":1,"max_completion_tokens":7,"max_tokens":7}', '{"a":1,"max_completion_tokens":7}'],
  ])("with both loses the other: %s", (both, sent) => {
    const request = { max_tokens: 7, max_completion_tokens: 7 };
    expect(withLimitFieldText(both, request, "max_completion_tokens")).toBe(sent);
    expect(withLimitField(request, "max_completion_tokens")).toEqual({ max_completion_tokens: 7 } as never);
  });

  test("with limits that differ is refused", () => {
    expect(() => withLimitField({ max_tokens: 7, max_completion_tokens: 8 }, "max_tokens")).toThrow(
      /max_tokens and max_completion_tokens/,
    );
  });
});

test("an entry names the field of its server, in the loop and without tools", async () => {
  await using chat = await startChatSite({
    turn: (request, reply) => say(request, reply, { content: "Hello." }),
  });
  const operator = await chat.site.runtime.identity.operator("default");
  await chat.site.runtime.models.create(operator, {
    id: "older",
    openai: { base_url: chat.upstream.url, limit_field: "max_tokens" },
  });
  const request = { ...asking(), model: "older/m", max_completion_tokens: 9, user: "alice" };
  await chat.ask(request);
  await chat.ask({ ...request, tools: ["Chat.WhoAmI"], tool_choice: "generate" });
  expect(chat.upstream.requests.map((sent) => [sent["max_tokens"], sent["max_completion_tokens"]])).toEqual([
    [9, undefined],
    [9, undefined],
  ]);
  expect((await chat.ask({ ...request, max_tokens: 8 })).status).toBe(400);
});
