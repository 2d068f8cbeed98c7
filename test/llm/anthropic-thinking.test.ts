// Thinking of the messages protocol comes back with its signature, as such servers require.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { eventText, type MessagesTurn, startMessageStream } from "../sandbox/models/messages-server";
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
});

const CALL = { type: "tool_use", id: "toolu_1", name: "Test_Look", input: { text: "a" } };
const THINKING = { type: "thinking", thinking: "I look first 😀.", signature: "EvQBCkYICxgC" };
const REDACTED = { type: "redacted_thinking", data: "EmwKAhgBEgy3" };
const FUTURE = { type: "server_note", note: { kept: true } };
const TEXT = { type: "text", text: "Let me look." };
const BLOCKS = [THINKING, REDACTED, TEXT, CALL];
const DONE = { type: "text", text: "Done." };
const USAGE = {
  input_tokens: 5,
  cache_read_input_tokens: 4,
  cache_creation_input_tokens: 3,
  output_tokens: 2,
};

function saying(blocks: readonly object[], stop: string): MessagesTurn {
  const head = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-test-1",
    stop_sequence: null,
  };
  return (request, reply) => {
    if (request.stream !== true)
      return reply.json(200, { ...head, content: blocks, stop_reason: stop, usage: USAGE });
    startMessageStream(reply);
    const events = [
      { type: "message_start", message: { ...head, content: [], stop_reason: null, usage: USAGE } },
      { type: "ping" },
      ...blocks.flatMap(blockEvents),
      { type: "future_event", x: 1 },
      { type: "message_delta", delta: { stop_reason: stop }, usage: { output_tokens: 2 } },
      { type: "message_stop" },
    ];
    for (const event of events) reply.write(eventText(event));
    reply.end();
  };
}

// As recorded in vercel/ai packages/anthropic/src/__fixtures__/anthropic-clear-thinking.1.chunks.txt.
function blockEvents(block: object, index: number): { type: string; [field: string]: unknown }[] {
  const fields: Record<string, unknown> = { ...block };
  const pieces = (text: unknown): string[] => String(text).match(/.{1,5}/gsu) ?? [];
  const delta = (fragment: object) => ({ type: "content_block_delta", index, delta: fragment });
  const [start, deltas] =
    fields["type"] === "thinking"
      ? [
          { type: "thinking", thinking: "", signature: "" },
          [
            ...pieces(fields["thinking"]).map((thinking) => delta({ type: "thinking_delta", thinking })),
            delta({ type: "signature_delta", signature: fields["signature"] }),
          ],
        ]
      : fields["type"] === "text"
        ? [
            { type: "text", text: "" },
            pieces(fields["text"]).map((text) => delta({ type: "text_delta", text })),
          ]
        : fields["type"] === "tool_use"
          ? [
              { ...fields, input: {} },
              pieces(JSON.stringify(fields["input"])).map((partial_json) =>
                delta({ type: "input_json_delta", partial_json }),
              ),
            ]
          : [fields, []];
  return [
    { type: "content_block_start", index, content_block: start },
    ...deltas,
    { type: "content_block_stop", index },
  ];
}

const REQUEST = {
  model: "claude-test",
  messages: [{ role: "user", content: "Look." }],
  user: "alice",
  tools: ["Test.Look"],
  thinking: { type: "enabled", budget_tokens: 1024 },
};

describe.each([
  ["whole", false],
  ["stream", true],
] as const)("%s", (_form, stream) => {
  test("the loop sends the blocks back unchanged and in order", async () => {
    it.claude.script((request, reply, turn, exchange) =>
      (turn === 0 ? saying(BLOCKS, "tool_use") : saying([THINKING, DONE], "end_turn"))(
        request,
        reply,
        turn,
        exchange,
      ),
    );
    const seen = await ask(
      it.stage.chat,
      { ...REQUEST, tool_choice: "generate", ...(stream ? { stream_options: { include_usage: true } } : {}) },
      stream,
    );
    expect([seen.error, it.claude.refusals, it.stage.runs]).toEqual([undefined, [], [{ text: "a" }]]);
    expect(it.claude.requests[1]?.messages[1]).toEqual({ role: "assistant", content: BLOCKS });
    expect(seen.usage).toEqual({
      prompt_tokens: 24,
      completion_tokens: 4,
      total_tokens: 28,
      prompt_tokens_details: { cached_tokens: 8, cache_write_tokens: 6 },
    });
  });

  test("a client that runs the calls can send its message back", async () => {
    it.claude.script(saying([...BLOCKS.slice(0, 2), FUTURE, ...BLOCKS.slice(2)], "tool_use"));
    const answer = await it.stage.chat.send({ ...REQUEST, stream });
    const message = stream ? assembled(await answer.text()) : messageOf(await answer.json());
    it.claude.script(saying([DONE], "end_turn"));
    const messages = [
      ...REQUEST.messages,
      message,
      { role: "tool", tool_call_id: "toolu_1", content: "seen" },
    ];
    await it.stage.chat.send({ ...REQUEST, messages });
    // The stand-in refuses the block that it does not know; what counts is what it was sent.
    const sent: unknown = it.claude.exchanges.at(-1)?.body;
    expect(sent).toMatchObject({
      messages: [{}, { content: [THINKING, REDACTED, FUTURE, TEXT, CALL] }, {}],
    });
  });
});

function messageOf(completion: unknown): object {
  const { choices } = completion as { choices: { message: object }[] };
  return choices[0]?.message ?? {};
}

/** As clients put a stream together. */
function assembled(text: string): object {
  const message = {
    role: "assistant",
    content: "",
    tool_calls: [] as object[],
    content_blocks: [] as unknown[],
  };
  const call = { id: "", type: "function", function: { name: "", arguments: "" } };
  for (const block of text.split("\n\n").filter((one) => one.startsWith("data: {"))) {
    const { choices } = JSON.parse(block.slice(6)) as { choices: { delta: Record<string, never> }[] };
    const {
      content = "",
      tool_calls: calls,
      content_blocks: blocks = [],
    } = (choices[0]?.delta ?? {}) as {
      content?: string;
      content_blocks?: unknown[];
      tool_calls?: { id?: string; function: { name?: string; arguments?: string } }[];
    };
    message.content += content;
    message.content_blocks.push(...blocks);
    for (const { id, function: called } of calls ?? []) {
      call.id ||= id ?? "";
      call.function.name += called.name ?? "";
      call.function.arguments += called.arguments ?? "";
    }
  }
  return { ...message, tool_calls: [call] };
}
