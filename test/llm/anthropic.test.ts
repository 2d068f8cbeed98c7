// Models behind the messages protocol: what its answers become, whole and streamed, and what the stand-in refuses.
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
const F = {
  type: "function",
  function: {
    name: "f",
    description: "F.",
    parameters: { type: "object", properties: { a: { type: "string" } } },
  },
};

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

  test("has no usage in a stream that did not request it", async () => {
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

  test("that is invalid is an error", async () => {
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

  test.each([1, 2, 3, 7])("cut into pieces of %d bytes has the same content", async (size) => {
    const seen = await streaming((_request, reply) => {
      startMessageStream(reply);
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.byteLength; at += size) reply.write(bytes.subarray(at, at + size));
      reply.end();
    });
    const argumentsText = seen.calls.map((one) => one.arguments).join("");
    expect(seen.calls.map((one) => one.name).join("")).toBe("f");
    expect([seen.content, argumentsText, seen.finish, seen.done]).toEqual([
      "Häh? 😀",
      '{"a":"ä😀"}',
      "tool_calls",
      true,
    ]);
  });

  test("with thinking, new events and new blocks has the rest", async () => {
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
    ["no message_stop", (_, reply) => reply.end(), /an incomplete stream/],
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

  test("is closed within a second when its caller disconnects", async () => {
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
    expect(await closed).toBe("closed");
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
    ["a temperature", { ...base, temperature: 1 }, /deprecated/],
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
