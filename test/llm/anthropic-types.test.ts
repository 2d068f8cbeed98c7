// What goes to a server of the messages protocol is what the types of its official client accept: each row is compared with
// a literal that the compiler checks.
import type { MessageCreateParams } from "@anthropic-ai/sdk/resources/messages";
import { expect, test } from "bun:test";
import { chatRequestOf } from "../../src/llm/responses/request";
import { checked } from "../../src/base";
import { ChatRequest } from "../../src/llm/schema";
import type { ModelServer } from "../../src/llm/server-of";
import { anthropicRequest } from "../../src/llm/upstream/anthropic/request";

const server = { type: "anthropic", maxTokens: 100 } as unknown as ModelServer;
/** Kept in a variable of its own: items have more fields than the types of their schema. */
const RESPONSE = {
  model: "m",
  instructions: "Be brief.",
  input: [
    { role: "user", content: [{ type: "input_text", text: "Hi." }] },
    { type: "function_call", call_id: "c1", name: "f", arguments: '{"a":1}' },
    { type: "function_call_output", call_id: "c1", output: "one" },
  ],
  tools: [
    {
      type: "function",
      name: "f",
      description: "d",
      parameters: { type: "object", properties: { a: {} } },
      strict: false,
    },
  ],
  reasoning: { effort: "high" },
  max_output_tokens: 9,
  stream: true,
};
const FUNCTION = {
  type: "function",
  function: { name: "f", description: "d", parameters: { type: "object", properties: { a: {} } } },
};
const TOOL = {
  name: "f",
  description: "d",
  input_schema: { type: "object" as const, properties: { a: {} } },
};
const CALL = { id: "c1", type: "function", function: { name: "f", arguments: '{"a":1}' } };
const user = { role: "user", content: "Hi." };
const hello = { role: "user" as const, content: [{ type: "text" as const, text: "Hi." }] };
const plain = { model: "m", max_tokens: 100, messages: [hello] };

/** A chat request without its model, and what is sent. */
const ROWS: readonly (readonly [string, object, MessageCreateParams])[] = [
  ["text", { messages: [user] }, plain],
  [
    "instructions",
    { messages: [{ role: "system", content: "A" }, { role: "developer", content: "B" }, user] },
    { ...plain, system: "A\n\nB" },
  ],
  [
    "limits and sampling",
    { messages: [user], max_completion_tokens: 9, temperature: 2, top_p: 0.5, stop: ["x", " "], user: "u" },
    {
      ...plain,
      max_tokens: 9,
      stop_sequences: ["x"],
      metadata: { user_id: "u" },
    },
  ],
  ["a stream", { messages: [user], stream: true }, { ...plain, stream: true }],
  [
    "images",
    {
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "?" },
            { type: "image_url", image_url: { url: "data:image/png;base64,AA==" } },
            { type: "image_url", image_url: { url: "https://x.example/a.jpg" } },
          ],
        },
      ],
    },
    {
      ...plain,
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "?" },
            { type: "image", source: { type: "base64", media_type: "image/png", data: "AA==" } },
            { type: "image", source: { type: "url", url: "https://x.example/a.jpg" } },
          ],
        },
      ],
    },
  ],
  [
    "calls and their results",
    {
      messages: [
        user,
        { role: "assistant", content: "I look.", tool_calls: [CALL, { ...CALL, id: "c2" }] },
        { role: "tool", tool_call_id: "c1", content: "one" },
        { role: "tool", tool_call_id: "c2", content: "" },
        { role: "user", content: "And?" },
      ],
      tools: [FUNCTION],
      tool_choice: "required",
      parallel_tool_calls: false,
    },
    {
      ...plain,
      messages: [
        hello,
        {
          role: "assistant",
          content: [
            { type: "text", text: "I look." },
            { type: "tool_use", id: "c1", name: "f", input: { a: 1 } },
            { type: "tool_use", id: "c2", name: "f", input: { a: 1 } },
          ],
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "c1", content: [{ type: "text", text: "one" }] },
            { type: "tool_result", tool_use_id: "c2" },
            { type: "text", text: "And?" },
          ],
        },
      ],
      tools: [TOOL],
      tool_choice: { type: "any", disable_parallel_tool_use: true },
    },
  ],
  [
    "a choice by name",
    { messages: [user], tools: [FUNCTION], tool_choice: { type: "function", function: { name: "f" } } },
    { ...plain, tools: [TOOL], tool_choice: { type: "tool", name: "f" } },
  ],
  [
    "no calls",
    { messages: [user], tools: [FUNCTION], tool_choice: "none" },
    { ...plain, tools: [TOOL], tool_choice: { type: "none" } },
  ],
  [
    "thinking that goes back",
    {
      messages: [
        user,
        {
          role: "assistant",
          content: "",
          tool_calls: [CALL],
          content_blocks: [
            { type: "thinking", thinking: "Hm.", signature: "c2ln", index: 0 },
            { type: "redacted_thinking", data: "eA==", index: 1 },
            { type: "tool_use", id: "c1", name: "f", input: { a: 1 }, index: 2 },
          ],
        },
        { role: "tool", tool_call_id: "c1", content: "one" },
      ],
      tools: [FUNCTION],
      thinking: { type: "enabled", budget_tokens: 1024 },
    },
    {
      ...plain,
      messages: [
        hello,
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "Hm.", signature: "c2ln" },
            { type: "redacted_thinking", data: "eA==" },
            { type: "tool_use", id: "c1", name: "f", input: { a: 1 } },
          ],
        },
        {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: "c1", content: [{ type: "text", text: "one" }] }],
        },
      ],
      tools: [TOOL],
      thinking: { type: "enabled", budget_tokens: 1024 },
    },
  ],
  [
    "an effort",
    { messages: [user], reasoning_effort: "minimal" },
    { ...plain, output_config: { effort: "low" } },
  ],
  [
    "no thinking",
    { messages: [user], reasoning_effort: "none" },
    { ...plain, thinking: { type: "disabled" } },
  ],
];

test.each(ROWS)("%s", (_name, request, sent) => {
  const { stream, ...body } = checked(ChatRequest, { model: "m", ...request }, "request body");
  expect(anthropicRequest(body, server, stream === true)).toEqual({ ...sent });
});

test("a response", () => {
  const { stream_options: _, stream, ...body } = chatRequestOf(RESPONSE, server);
  const sent: MessageCreateParams = {
    ...plain,
    max_tokens: 9,
    system: "Be brief.",
    messages: [
      hello,
      { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "f", input: { a: 1 } }] },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "c1", content: [{ type: "text", text: "one" }] }],
      },
    ],
    tools: [TOOL],
    output_config: { effort: "high" },
    stream: true,
  };
  expect(anthropicRequest(body, server, stream === true)).toEqual({ ...sent });
});
