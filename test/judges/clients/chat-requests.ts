// Requests of the openai client, as a generated client types them. Type-checked by generated-clients.judge.ts for both
// generators, each of which puts its own `Chat` into `chat.ts`.
import type OpenAI from "openai";
import type { Chat } from "./chat";

/** A request that the openai client sends, without null, which means the same as leaving a field out. */
type Given<T> = T extends string
  ? T
  : T extends readonly (infer E)[]
    ? Given<E>[]
    : T extends object
      ? { [K in keyof T]: Given<Exclude<T[K], null>> }
      : T;
type Sent = Given<
  Omit<OpenAI.ChatCompletionCreateParamsNonStreaming, "messages" | "tools" | "functions" | "function_call">
>;
type Message = Given<Exclude<OpenAI.ChatCompletionMessageParam, OpenAI.ChatCompletionFunctionMessageParam>>;
type Tool = Given<OpenAI.ChatCompletionFunctionTool>;

/** Compiles only if every request of the openai client is one of ours. */
export const accepted = (sent: Sent, messages: Message[], tools: Tool[]): Chat =>
  ({ ...sent, messages, tools }) as const;

// The examples of the client's README and reference.
export const examples: Chat[] = [
  {
    model: "gpt-4o",
    messages: [
      { role: "developer", content: "Talk like a pirate." },
      { role: "user", content: "Are semicolons optional in JavaScript?" },
    ],
  },
  {
    model: "gpt-4o",
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "What is in this image?" },
          { type: "image_url", image_url: { url: "https://example.com/boardwalk.jpg", detail: "high" } },
        ],
      },
    ],
    max_tokens: 300,
  },
  {
    model: "gpt-4o-audio-preview",
    modalities: ["text", "audio"],
    audio: { voice: "alloy", format: "wav" },
    messages: [
      { role: "user", content: [{ type: "input_audio", input_audio: { data: "aGk=", format: "wav" } }] },
    ],
  },
  {
    model: "gpt-4o",
    messages: [{ role: "user", content: "What is the weather like in Boston today?" }],
    tools: [
      {
        type: "function",
        function: {
          name: "get_current_weather",
          description: "Get the current weather in a given location",
          parameters: {
            type: "object",
            properties: {
              location: { type: "string" },
              unit: { type: "string", enum: ["celsius", "fahrenheit"] },
            },
            required: ["location"],
          },
          strict: true,
        },
      },
    ],
    tool_choice: "auto",
  },
  {
    model: "o4-mini",
    reasoning_effort: "low",
    verbosity: "low",
    messages: [{ role: "user", content: "Solve 8x + 31 = 2." }],
    response_format: {
      type: "json_schema",
      json_schema: {
        name: "answer",
        strict: true,
        schema: { type: "object", properties: {}, additionalProperties: false },
      },
    },
    stream: true,
    stream_options: { include_usage: true },
  },
  {
    model: "gpt-4o",
    messages: [
      { role: "user", content: "Who am I?" },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c1", type: "function", function: { name: "Chat_WhoAmI", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "c1", content: '{"username":"alice"}' },
    ],
    tools: ["Chat.WhoAmI"],
    tool_choice: { type: "function", function: { name: "Chat_WhoAmI" } },
    logit_bias: { "1": 2 },
    stop: ["\n"],
    metadata: { a: "b" },
    service_tier: "auto",
    store: true,
  },
];
