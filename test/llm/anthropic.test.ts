// Models behind the messages protocol: requests and answers translated both ways, whole and streamed.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import {
  eventsOf,
  eventText,
  failure,
  message,
  startMessageStream,
  utter,
  type MessagesTurn,
} from "../sandbox/models/messages-server";
import { messagesFault } from "../sandbox/models/messages-rules";
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

const MODES = [
  ["whole", false],
  ["streamed", true],
] as const;
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
    ["keeps its limit under the newer name", { max_completion_tokens: 8, max_tokens: 7 }, { max_tokens: 8 }],
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
      "has images, from data and from addresses",
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
    ["has its temperature within the range there", { temperature: 1.7 }, { temperature: 1 }],
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

  // Field case F059: never lost without a word.
  test.each<[what: string, body: object, message: RegExp]>([
    ["a sound", { messages: [user([{ type: "input_audio", input_audio: {} }])] }, /messages\.0\.content\.0/],
    [
      "an image of an unknown address",
      { messages: [user([{ type: "image_url", image_url: { url: "ftp://a" } }])] },
      /messages\.0\.content\.0\.image_url/,
    ],
    ["several choices", { n: 2 }, /^n is/],
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
  ])("with %s is refused by name", async (_what, body, message) => {
    const seen = await ask(it.stage.chat, { model: "claude-test", messages: [user("Hi")], ...body }, false);
    expect([seen.status, seen.error, it.claude.requests.length]).toEqual([
      400,
      expect.stringMatching(message),
      0,
    ]);
  });
});

describe.each(MODES)("an answer, %s", (_mode, stream) => {
  const asked = (body: object = {}) =>
    ask(it.stage.chat, { model: "claude-test", messages: [user("Hi")], ...body }, stream);

  test("has text, usage, model and a reason", async () => {
    it.claude.script((request, reply) => utter(request, reply, { text: "Grüße 😀", usage: [20, 7] }));
    const seen = await asked(stream ? { stream_options: { include_usage: true } } : {});
    expect([seen.content, seen.finish, seen.model, seen.done]).toEqual([
      "Grüße 😀",
      "stop",
      "claude-test-1",
      true,
    ]);
    expect(seen.usage).toEqual({ prompt_tokens: 20, completion_tokens: 7, total_tokens: 27 });
  });

  test("has no usage in a stream that did not ask for it", async () => {
    expect((await asked()).usage === undefined).toBe(stream);
  });

  test("has calls with their arguments", async () => {
    it.claude.script((request, reply) =>
      utter(request, reply, {
        text: "Both.",
        calls: [
          { id: "t1", name: "f", input: { a: "ä😀" } },
          { id: "t2", name: "f", input: {} },
        ],
      }),
    );
    const { content, finish } = await asked({ tools: [F] });
    expect([content, finish]).toEqual(["Both.", "tool_calls"]);
  });

  test.each([
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["max_tokens", "length"],
    ["refusal", "content_filter"],
    ["something_new", "stop"],
  ])("that ends for %s ends for %s", async (stop, finish) => {
    it.claude.script((request, reply) => utter(request, reply, { text: "x", stop }));
    expect((await asked()).finish).toBe(finish);
  });

  test.each([
    ["invalid_request_error", 400, 400],
    ["authentication_error", 401, 500],
    ["not_found_error", 404, 400],
    ["rate_limit_error", 429, 429],
    ["api_error", 500, 500],
    ["overloaded_error", 529, 500],
  ])("that is a %s (%d) is %d", async (type, status, expected) => {
    it.claude.script((_request, reply) => reply.json(status, failure(type, "because")));
    expect((await asked()).status).toBe(expected);
  });

  test("that is none is an error", async () => {
    it.claude.script((_request, reply) => reply.json(200, { type: "other" }));
    expect((await asked()).status).toBe(500);
  });
});

describe("a stream of the messages protocol", () => {
  const streaming = (write: MessagesTurn) => {
    it.claude.script(write);
    return ask(it.stage.chat, { model: "claude-test", messages: [user("Hi")], tools: [F] }, true);
  };
  const events = eventsOf({ text: "Häh? 😀", calls: [{ id: "t1", name: "f", input: { a: "ä😀" } }] });
  const text = events.map(eventText).join("");

  test.each([1, 2, 3, 7])("cut into pieces of %d bytes says the same", async (size) => {
    const seen = await streaming((_request, reply) => {
      startMessageStream(reply);
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.byteLength; at += size) reply.write(bytes.subarray(at, at + size));
      reply.end();
    });
    const argumentsText = seen.calls
      .map((one) => one.arguments)
      .join("")
      .replaceAll("undefined", "");
    expect([seen.content, argumentsText, seen.finish, seen.done]).toEqual([
      "Häh? 😀",
      '{"a":"ä😀"}',
      "tool_calls",
      true,
    ]);
  });

  test("with thinking, new events and new blocks says the rest", async () => {
    const more = [
      { type: "content_block_start", index: 9, content_block: { type: "thinking", thinking: "" } },
      { type: "content_block_delta", index: 9, delta: { type: "thinking_delta", thinking: "Hm." } },
      { type: "content_block_delta", index: 9, delta: { type: "signature_delta", signature: "s" } },
      { type: "something_new" },
    ];
    const seen = await streaming((_request, reply) => {
      startMessageStream(reply);
      for (const event of [...events.slice(0, 2), ...more, ...events.slice(2)]) reply.write(eventText(event));
      reply.end();
    });
    expect([seen.content, seen.done]).toEqual(["Häh? 😀", true]);
  });

  test.each<[what: string, MessagesTurn, RegExp]>([
    [
      "an error event",
      (_, reply) => (
        reply.write(eventText({ ...failure("overloaded_error", "Overloaded"), type: "error" })),
        reply.end()
      ),
      /Overloaded/,
    ],
    ["a reset", (_, reply) => void setTimeout(() => reply.reset(), 30), /closed the connection/],
    ["no message_stop", (_, reply) => reply.end(), /ends in the middle/],
  ])("that ends with %s never looks complete", async (_what, end, error) => {
    const seen = await streaming(async (request, reply, turn, exchange) => {
      startMessageStream(reply);
      for (const event of events.slice(0, 6)) reply.write(eventText(event));
      await Bun.sleep(30);
      await end(request, reply, turn, exchange);
    });
    expect([seen.status, seen.done, seen.error]).toEqual([200, false, expect.stringMatching(error)]);
    expect(seen.content).not.toBe("");
  });

  test("is closed within a second when its caller hangs up", async () => {
    it.claude.script((_request, reply) => {
      startMessageStream(reply);
      reply.write(events.slice(0, 4).map(eventText).join(""));
    });
    const caller = new AbortController();
    const { chat } = it.stage;
    const response = await chat.send(
      { model: "claude-test", messages: [user("Hi")], stream: true },
      { signal: caller.signal },
    );
    await response.body?.getReader().read();
    caller.abort();
    const closed = it.claude.exchanges.at(-1)?.closed.then(() => "closed");
    expect(await Promise.race([closed, Bun.sleep(1_000).then(() => "open")])).toBe("closed");
  });
});

describe("the stand-in refuses", () => {
  const text = (value: string) => [{ type: "text", text: value }];
  const base = { model: "m", max_tokens: 1, messages: [{ role: "user", content: "Hi" }] };
  const use = { role: "assistant", content: [{ type: "tool_use", id: "x", name: "f", input: {} }] };
  const tools = [{ name: "f", input_schema: { type: "object" } }];
  test.each<[string, object, RegExp]>([
    ["no max_tokens", { ...base, max_tokens: undefined }, /max_tokens: Field required/],
    [
      "a result that is not first",
      {
        ...base,
        tools,
        messages: [
          ...base.messages,
          use,
          { role: "user", content: [...text("x"), { type: "tool_result", tool_use_id: "x" }] },
        ],
      },
      /must come first/,
    ],
    [
      "a call without its result",
      { ...base, tools, messages: [...base.messages, use, { role: "user", content: "x" }] },
      /without tool_result/,
    ],
    [
      "a result without its call",
      { ...base, tools, messages: [{ role: "user", content: [{ type: "tool_result", tool_use_id: "x" }] }] },
      /unexpected tool_use_id/,
    ],
    [
      "an unknown block",
      { ...base, messages: [{ role: "user", content: [{ type: "image_url" }] }] },
      /Input tag 'image_url'/,
    ],
    ["an unknown field", { ...base, seed: 1 }, /seed: Extra inputs/],
    [
      "a role of the other protocol",
      { ...base, messages: [{ role: "system", content: "x" }] },
      /Unexpected role/,
    ],
    ["empty text", { ...base, messages: [{ role: "user", content: text("") }] }, /non-whitespace/],
    [
      "an id in other letters",
      {
        ...base,
        tools,
        messages: [
          ...base.messages,
          { role: "assistant", content: [{ type: "tool_use", id: "a.b", name: "f", input: {} }] },
        ],
      },
      /pattern/,
    ],
    ["a temperature of the other protocol", { ...base, temperature: 2 }, /range/],
  ])("%s", (_what, request, fault) => {
    expect(messagesFault(request)).toMatch(fault);
  });

  test("nothing that is right", () => {
    expect(
      messagesFault({
        ...base,
        tools,
        messages: [
          ...base.messages,
          use,
          { role: "user", content: [{ type: "tool_result", tool_use_id: "x", content: "1" }, ...text("x")] },
        ],
      }),
    ).toBeUndefined();
    expect(message({ text: "x" })).toMatchObject({ type: "message" });
  });
});
