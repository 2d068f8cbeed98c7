// Models behind the messages protocol: what a request becomes, and what is refused by name.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { utter } from "../sandbox/models/messages-server";
import { type AnthropicStage, startAnthropicStage } from "./anthropic-stage";
import { ask } from "./behaviours/stage";

let it: AnthropicStage;
beforeAll(async () => {
  it = await startAnthropicStage();
});
afterAll(() => it[Symbol.asyncDispose]());
beforeEach(() => {
  it.stage.reset();
  it.claude.reset();
  it.claude.script((request, reply) => utter(request, reply, { text: "Hello." }));
});

const user = (content: unknown) => ({ role: "user", content });
const call = (id: string, name = "f", text = "{}") => ({
  id,
  type: "function",
  function: { name, arguments: text },
});
const F = {
  type: "function",
  function: {
    name: "f",
    description: "F.",
    parameters: { type: "object", properties: { a: { type: "string" } } },
  },
};

describe("a request", () => {
  const rows: [what: string, body: object, sent: object][] = [
    ["has a limit, from the entry where it names none", {}, { max_tokens: 4096 }],
    ["keeps its limit", { max_tokens: 7 }, { max_tokens: 7 }],
    ["keeps its limit under the newer name", { max_completion_tokens: 8 }, { max_tokens: 8 }],
    ["keeps a limit that is given twice", { max_completion_tokens: 8, max_tokens: 8 }, { max_tokens: 8 }],
    ["translates the effort", { reasoning_effort: "medium" }, { output_config: { effort: "medium" } }],
    ["translates the least effort", { reasoning_effort: "minimal" }, { output_config: { effort: "low" } }],
    ["translates no effort", { reasoning_effort: "none" }, { thinking: { type: "disabled" } }],
    [
      "keeps thinking",
      { thinking: { type: "enabled", budget_tokens: 2048 } },
      { thinking: { type: "enabled", budget_tokens: 2048 } },
    ],
    [
      "has its instructions apart, wherever they stood",
      {
        messages: [
          { role: "system", content: "One." },
          user("Hi"),
          { role: "developer", content: [{ type: "text", text: "Two." }] },
        ],
      },
      { system: "One.\n\nTwo.", messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }] },
    ],
    [
      "has images, from data and from addresses [fault: content-parts]",
      {
        messages: [
          user([
            { type: "text", text: "?" },
            { type: "image_url", image_url: { url: "data:image/png;base64,QUJD" } },
            { type: "image_url", image_url: { url: "https://a.test/b.png" } },
          ]),
        ],
      },
      {
        messages: [
          {
            role: "user",
            content: [
              { type: "text", text: "?" },
              { type: "image", source: { type: "base64", media_type: "image/png", data: "QUJD" } },
              { type: "image", source: { type: "url", url: "https://a.test/b.png" } },
            ],
          },
        ],
      },
    ],
    [
      "joins messages of one side, and leaves empty ones out",
      {
        messages: [
          user("a"),
          user("b"),
          { role: "assistant", content: "" },
          user([{ type: "text", text: "c" }]),
        ],
      },
      {
        messages: [
          {
            role: "user",
            content: [
              { type: "text", text: "a" },
              { type: "text", text: "b" },
              { type: "text", text: "c" },
            ],
          },
        ],
      },
    ],
    [
      "has the answers of tools first in the turn after their calls, whatever came between",
      {
        tools: [F],
        messages: [
          user("go"),
          { role: "assistant", content: null, tool_calls: [call("x", "f", '{"a":"1"}'), call("y")] },
          user("and?"),
          { role: "tool", tool_call_id: "y", content: "2" },
          { role: "tool", tool_call_id: "x", content: [{ type: "text", text: "1" }] },
        ],
      },
      {
        messages: [
          { role: "user", content: [{ type: "text", text: "go" }] },
          {
            role: "assistant",
            content: [
              { type: "tool_use", id: "x", name: "f", input: { a: "1" } },
              { type: "tool_use", id: "y", name: "f", input: {} },
            ],
          },
          {
            role: "user",
            content: [
              { type: "tool_result", tool_use_id: "y", content: [{ type: "text", text: "2" }] },
              { type: "tool_result", tool_use_id: "x", content: [{ type: "text", text: "1" }] },
              { type: "text", text: "and?" },
            ],
          },
        ],
      },
    ],
    [
      "has ids in letters that are taken, and no two alike",
      {
        tools: [F],
        messages: [
          user("go"),
          { role: "assistant", content: "", tool_calls: [call("a.b"), call("a_b")] },
          { role: "tool", tool_call_id: "a.b", content: "" },
          { role: "tool", tool_call_id: "a_b", content: "2" },
        ],
      },
      {
        messages: [
          expect.anything(),
          {
            role: "assistant",
            content: [expect.objectContaining({ id: "a_b" }), expect.objectContaining({ id: "a_b_2" })],
          },
          {
            role: "user",
            content: [
              { type: "tool_result", tool_use_id: "a_b" },
              expect.objectContaining({ tool_use_id: "a_b_2" }),
            ],
          },
        ],
      },
    ],
    [
      "has tools with their schema",
      { tools: [F] },
      {
        tools: [
          {
            name: "f",
            description: "F.",
            input_schema: { type: "object", properties: { a: { type: "string" } } },
          },
        ],
      },
    ],
    [
      "has a function without parameters",
      { tools: [{ type: "function", function: { name: "g" } }] },
      { tools: [{ name: "g", input_schema: { type: "object", properties: {} } }] },
    ],
    ["chooses auto", { tools: [F], tool_choice: "auto" }, { tool_choice: { type: "auto" } }],
    ["chooses none", { tools: [F], tool_choice: "none" }, { tool_choice: { type: "none" } }],
    ["chooses any", { tools: [F], tool_choice: "required" }, { tool_choice: { type: "any" } }],
    [
      "chooses one by name",
      { tools: [F], tool_choice: { type: "function", function: { name: "f" } } },
      { tool_choice: { type: "tool", name: "f" } },
    ],
    [
      "wants one call at a time",
      { tools: [F], parallel_tool_calls: false },
      { tool_choice: { type: "auto", disable_parallel_tool_use: true } },
    ],
    ["has no temperature, which newer models refuse", { temperature: 1.7, top_p: 0.5, top_k: 5 }, {}],
    [
      "has its stops as a list, without those that are refused",
      { stop: ["a", " ", "\n"] },
      { stop_sequences: ["a"] },
    ],
    ["names the user", { user: "alice" }, { metadata: { user_id: "alice" } }],
    [
      "leaves out what only tunes sampling",
      { seed: 1, frequency_penalty: 1, presence_penalty: 1, logit_bias: { "1": 2 } },
      {},
    ],
    ["may ask for text", { response_format: { type: "text" } }, {}],
    [
      "names a catalog's tool",
      { tools: ["Test.Echo"] },
      { tools: [expect.objectContaining({ name: "Test_Echo" })] },
    ],
  ];
  test.each(rows)("%s", async (_what, body, sent) => {
    const seen = await ask(it.stage.chat, { model: "claude-test", messages: [user("Hi")], ...body }, false);
    expect({ error: seen.error, refusals: it.claude.refusals }).toEqual({ error: undefined, refusals: [] });
    expect(it.claude.requests[0] as object).toMatchObject(sent);
  });

  // Never lost without a word.
  test.each<[what: string, body: object, message: RegExp]>([
    ["a sound", { messages: [user([{ type: "input_audio", input_audio: {} }])] }, /messages\.0\.content\.0/],
    [
      "an image of an unknown address",
      { messages: [user([{ type: "image_url", image_url: { url: "ftp://a" } }])] },
      /messages\.0\.content\.0\.image_url/,
    ],
    ["several choices", { n: 2 }, /^n is/],
    [
      "limits that differ",
      { max_tokens: 7, max_completion_tokens: 8 },
      /max_tokens and max_completion_tokens/,
    ],
    ["an unknown effort", { reasoning_effort: "some" }, /^reasoning_effort must be/],
    [
      "no effort and thinking",
      { reasoning_effort: "none", thinking: { type: "enabled", budget_tokens: 2048 } },
      /reasoning_effort none and thinking/,
    ],
    [
      "two efforts",
      { reasoning_effort: "low", output_config: { effort: "high" } },
      /reasoning_effort and output_config/,
    ],
    [
      "the functions of the older protocol",
      { functions: [F.function], function_call: "auto" },
      /functions and function_call/,
    ],
    ["a search", { web_search_options: {} }, /web_search_options/],
    ["log probabilities", { logprobs: true }, /logprobs/],
    ["JSON by schema", { response_format: { type: "json_schema", json_schema: {} } }, /response_format/],
    ["a tool of another kind", { tools: [{ type: "custom", custom: {} }] }, /tools\.0/],
    [
      "arguments that are none",
      { messages: [user("a"), { role: "assistant", tool_calls: [call("x", "f", "{")] }] },
      /messages\.1\.tool_calls\.0/,
    ],
    [
      "an answer to nothing",
      { messages: [user("a"), { role: "tool", content: "x" }] },
      /messages\.1\.tool_call_id/,
    ],
    ["nothing to answer", { messages: [{ role: "system", content: "x" }] }, /nothing to answer/],
  ])("with %s is refused by name [fault: content-parts]", async (_what, body, message) => {
    const seen = await ask(it.stage.chat, { model: "claude-test", messages: [user("Hi")], ...body }, false);
    expect([seen.status, seen.error, it.claude.requests.length]).toEqual([
      400,
      expect.stringMatching(message),
      0,
    ]);
  });
});
