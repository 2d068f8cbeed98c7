// A request of the Responses protocol as one of chat completions.
import { describe, expect, test } from "bun:test";
import { chatRequestOf } from "../../../src/llm/responses/request";
import type { ResponsesRequest } from "../../../src/llm/responses/schema";

const FUNCTION = {
  type: "function",
  name: "weather",
  description: "The weather.",
  parameters: { type: "object", properties: {} },
  strict: true,
};

function translated(request: object, type: "openai" | "anthropic" = "openai"): Record<string, unknown> {
  const whole: ResponsesRequest = { model: "m", input: "Hi.", ...request };
  return chatRequestOf(whole, { type });
}

const messagesOf = (request: object): unknown => translated(request)["messages"];
const call = (id: string, more: object = {}) => ({
  type: "function_call",
  id: `fc_${id}`,
  call_id: id,
  name: "weather",
  arguments: '{"place":"Rome"}',
  ...more,
});
const output = (id: string, value: unknown = "sun") => ({
  type: "function_call_output",
  call_id: id,
  output: value,
});
const toolCall = (id: string, name = "weather") => ({
  id,
  type: "function",
  function: { name, arguments: '{"place":"Rome"}' },
});

describe("fields", () => {
  test.each<[string, object, object]>([
    ["the limit", { max_output_tokens: 9 }, { max_tokens: 9 }],
    ["the effort", { reasoning: { effort: "low", summary: "auto" } }, { reasoning_effort: "low" }],
    ["the verbosity", { text: { verbosity: "low" } }, { verbosity: "low" }],
    [
      "a JSON schema",
      { text: { format: { type: "json_schema", name: "n", schema: {}, strict: true } } },
      { response_format: { type: "json_schema", json_schema: { name: "n", schema: {}, strict: true } } },
    ],
    ["JSON", { text: { format: { type: "json_object" } } }, { response_format: { type: "json_object" } }],
    ["text", { text: { format: { type: "text" } } }, {}],
    [
      "probabilities",
      { include: ["message.output_text.logprobs"], top_logprobs: 2 },
      { logprobs: true, top_logprobs: 2 },
    ],
    ["sampling", { temperature: 0.5, top_p: 0.1 }, { temperature: 0.5, top_p: 0.1 }],
    ["a stream", { stream: true }, { stream: true, stream_options: { include_usage: true } }],
    ["a field that we do not know", { future: { n: 1 } }, { future: { n: 1 } }],
    ["nulls", { temperature: null, store: null, previous_response_id: null, tools: [] }, {}],
    [
      "what does not concern the answer",
      {
        store: false,
        background: false,
        metadata: { a: "b" },
        client_metadata: { a: "b" },
        prompt_cache_key: "k",
        include: ["reasoning.encrypted_content"],
        truncation: "disabled",
        safety_identifier: "x",
      },
      {},
    ],
    ["a choice without tools", { tool_choice: "auto" }, {}],
    [
      "functions",
      { tools: [FUNCTION, "Chat.WhoAmI"], tool_choice: { type: "function", name: "weather" } },
      {
        tools: [
          {
            type: "function",
            function: {
              name: "weather",
              description: "The weather.",
              parameters: { type: "object", properties: {} },
              strict: true,
            },
          },
          "Chat.WhoAmI",
        ],
        tool_choice: { type: "function", function: { name: "weather" } },
      },
    ],
    [
      "functions of a namespace",
      {
        tools: [
          { type: "namespace", name: "space", description: "", tools: [{ type: "function", name: "f" }] },
        ],
      },
      { tools: [{ type: "function", function: { name: "space__f" } }] },
    ],
    [
      "a function in the form of chat completions",
      { tools: [{ type: "function", function: { name: "f", parameters: { type: "object" } } }] },
      { tools: [{ type: "function", function: { name: "f", parameters: { type: "object" } } }] },
    ],
  ])("%s", (_name, request, expected) => {
    expect(translated(request)).toEqual({
      model: "m",
      messages: [{ role: "user", content: "Hi." }],
      ...expected,
    });
  });

  test.each<[string, object]>([
    ["previous_response_id", { previous_response_id: "resp_1" }],
    ["store", { store: true }],
    ["background", { background: true }],
    ["conversation", { conversation: "conv_1" }],
    ["prompt", { prompt: { id: "p" } }],
    ["max_tool_calls", { max_tool_calls: 1 }],
    ["truncation", { truncation: "auto" }],
    ["context_management", { context_management: [{ type: "compaction" }] }],
    ["store and background", { store: true, background: true }],
    ["tools.0", { tools: [{ type: "web_search" }] }],
    ["tools.1", { tools: [FUNCTION, { type: "file_search", vector_store_ids: [] }] }],
    ["tools.0", { tools: [{ type: "code_interpreter", container: { type: "auto" } }] }],
    ["tools.0", { tools: [{ type: "mcp", server_label: "x", server_url: "https://x.example" }] }],
    ["tools.0", { tools: [{ type: "image_generation" }] }],
    ["tools.0", { tools: [{ type: "custom", name: "apply_patch" }] }],
    [
      "tools.0.tools.0",
      { tools: [{ type: "namespace", name: "a", tools: [{ type: "custom", name: "b" }] }] },
    ],
    ["tools.0.name", { tools: [{ type: "function" }] }],
    ["tool_choice", { tools: [FUNCTION], tool_choice: { type: "allowed_tools", mode: "auto", tools: [] } }],
    ["tool_choice", { tools: [FUNCTION], tool_choice: { type: "web_search" } }],
    ["input.0", { input: [{ type: "item_reference", id: "msg_1" }] }],
    ["input.0", { input: [{ type: "custom_tool_call", call_id: "c", name: "n", input: "" }] }],
    ["input.0.role", { input: [{ role: "narrator", content: "x" }] }],
    ["input.0.content.0", { input: [{ role: "user", content: [{ type: "video" }] }] }],
    [
      "input.0.content.0.image_url",
      { input: [{ role: "user", content: [{ type: "input_image", file_id: "f" }] }] },
    ],
    [
      "input.0.content.0.file_data",
      { input: [{ role: "user", content: [{ type: "input_file", file_id: "f" }] }] },
    ],
    ["input.0.call_id", { input: [{ type: "function_call_output", output: "x" }] }],
    ["input.0.name", { input: [{ type: "function_call", call_id: "c", arguments: "{}" }] }],
    ["input is required", { input: [] }],
    ["input is required", { input: undefined, instructions: "Be brief." }],
  ])("%s is refused by name", (field, request) => {
    expect(() => translated(request)).toThrow(field);
  });

  test.each<[string, object]>([
    ["text.format", { text: { format: { type: "json_object" } } }],
    ["text.verbosity", { text: { verbosity: "low" } }],
    ["top_logprobs", { top_logprobs: 2 }],
  ])("%s is refused for the messages protocol, with the name that the caller used", (field, request) => {
    expect(() => translated(request, "anthropic")).toThrow(field);
    expect(() => translated(request)).not.toThrow();
  });
});

describe("input", () => {
  test("instructions at the beginning are one message", () => {
    const input = [
      { type: "message", role: "developer", content: [{ type: "input_text", text: "A" }] },
      { role: "system", content: "B" },
      { role: "user", content: [{ type: "input_text", text: "Hi." }] },
      { role: "developer", content: "Later." },
    ];
    expect(messagesOf({ instructions: "First.", input })).toEqual([
      { role: "system", content: "First.\n\nA\n\nB" },
      { role: "user", content: "Hi." },
      { role: "system", content: "Later." },
    ]);
  });

  test("images, files and sound", () => {
    const content = [
      { type: "input_text", text: "?" },
      { type: "input_image", image_url: "data:image/png;base64,AA==", detail: "low" },
      { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,AA==" },
      { type: "input_audio", input_audio: { data: "AA==", format: "wav" } },
    ];
    expect(messagesOf({ input: [{ role: "user", content }] })).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "?" },
          { type: "image_url", image_url: { url: "data:image/png;base64,AA==", detail: "low" } },
          { type: "file", file: { file_data: "data:application/pdf;base64,AA==", filename: "a.pdf" } },
          { type: "input_audio", input_audio: { data: "AA==", format: "wav" } },
        ],
      },
    ]);
  });

  test("text and calls of one turn are one message, and their outputs follow", () => {
    const input = [
      { role: "user", content: "Go." },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "I look." }] },
      call("a"),
      call("b", { namespace: "space" }),
      output("a"),
      output("b", [
        { type: "input_text", text: "rain" },
        { type: "input_text", text: "wind" },
      ]),
    ];
    expect(messagesOf({ input })).toEqual([
      { role: "user", content: "Go." },
      {
        role: "assistant",
        content: "I look.",
        tool_calls: [toolCall("a"), toolCall("b", "space__weather")],
      },
      { role: "tool", tool_call_id: "a", content: "sun" },
      { role: "tool", tool_call_id: "b", content: "rain\nwind" },
    ]);
  });

  test("calls that a server ran are calls with outputs", () => {
    const run = { type: "mcp_call", id: "a", server_label: "runtime", name: "weather" };
    const input = [
      { role: "user", content: "Go." },
      { ...run, arguments: '{"place":"Rome"}', output: "sun" },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "Sun." }] },
    ];
    expect(messagesOf({ input })).toEqual([
      { role: "user", content: "Go." },
      { role: "assistant", content: "", tool_calls: [toolCall("a")] },
      { role: "tool", tool_call_id: "a", content: "sun" },
      { role: "assistant", content: "Sun." },
    ]);
  });

  test.each([
    ["of another server", "gAAAAABo"],
    ["that is not JSON", "chat:bm90IEpTT04"],
    ["that is not a record", `chat:${Buffer.from("[1]").toString("base64url")}`],
  ])("reasoning %s is left out", (_name, encrypted_content) => {
    const reasoning = { type: "reasoning", id: "rs", summary: [], encrypted_content };
    const input = [{ role: "user", content: "Go." }, reasoning, call("a"), output("a")];
    expect(messagesOf({ input })).toEqual([
      { role: "user", content: "Go." },
      { role: "assistant", content: "", tool_calls: [toolCall("a")] },
      { role: "tool", tool_call_id: "a", content: "sun" },
    ]);
  });

  test("kept fields never replace role, text or calls", () => {
    const fields = { role: "system", content: "x", tool_calls: [1], reasoning: "r" };
    const kept = { message: fields, calls: { a: { id: "z", function: { name: "z", more: 1 } } } };
    const encrypted_content = `chat:${Buffer.from(JSON.stringify(kept)).toString("base64url")}`;
    const input = [
      { role: "user", content: "Go." },
      { type: "reasoning", encrypted_content },
      call("a"),
      output("a"),
    ];
    const { function: called, ...rest } = toolCall("a");
    expect((messagesOf({ input }) as unknown[])[1]).toEqual({
      role: "assistant",
      content: "",
      reasoning: "r",
      tool_calls: [{ ...rest, function: { ...called, more: 1 } }],
    });
    const said = { role: "assistant", content: "Sun." };
    const text = [{ role: "user", content: "Go." }, said, { type: "reasoning", encrypted_content }];
    expect((messagesOf({ input: text }) as unknown[])[1]).toEqual({ ...said, reasoning: "r" });
  });
});
