// Dialects of hosted servers, and the answers of all dialects. See `dialects.ts`.
import {
  callOf,
  delta,
  type Dialect,
  DIALECTS,
  finishOf,
  frames,
  halves,
  idOf,
  type Loose,
  type Round,
  ROUNDS,
  TOOL,
  USAGE,
} from "./dialects";

function kimi(): Dialect {
  const head = { id: "chatcmpl-6a8de8b0", model: "kimi-k2", system_fingerprint: "fpv0_1c3effa9" };
  const usage = { ...USAGE, completion_tokens_details: { reasoning_tokens: 1 } };
  const one = (fields: Loose): Loose => ({ index: 0, delta: fields, finish_reason: null });
  return {
    name: "Kimi",
    source: "vercel/ai packages/moonshotai/src/__fixtures__/moonshotai-stream-choice-usage.chunks.txt",
    chunks: (round) =>
      frames(head)(
        one({ role: "assistant", content: "" }),
        ...halves(round.thought).map((piece) => one({ reasoning_content: piece })),
        ...(round.call === undefined
          ? [one({ content: round.text })]
          : [
              one({ tool_calls: [{ index: 0, ...callOf(idOf("Test_Look:", round), "") }] }),
              one({ tool_calls: [{ index: 0, function: { arguments: round.call } }] }),
            ]),
        // The usage is in the choice.
        { index: 0, delta: {}, finish_reason: finishOf(round), usage },
      ),
    message: (round) => ({
      role: "assistant",
      content: round.text,
      reasoning_content: round.thought,
      ...(round.call === undefined ? {} : { tool_calls: [callOf(idOf("Test_Look:", round), round.call)] }),
    }),
    back: ({ thought }) => ({ reasoning_content: thought }),
    usage,
  };
}

function mistral(): Dialect {
  const thinking = (text: string): Loose => ({ type: "thinking", thinking: [{ type: "text", text }] });
  const head = { id: "a4e29c5b82f94d67", model: "magistral-medium" };
  const call = (round: Round): Loose => ({
    id: idOf("", round).slice(-9),
    function: { name: TOOL, arguments: round.call },
  });
  return {
    name: "Mistral",
    source:
      "vercel/ai packages/mistral/src/__fixtures__/mistral-reasoning.chunks.txt, mistral-tool-call.chunks.txt",
    chunks: (round) => {
      const all = frames(head)(
        ...halves(round.thought).map((piece, at) =>
          delta({ ...(at === 0 ? { role: "assistant" } : {}), content: [thinking(piece)] }),
        ),
        round.call === undefined
          ? delta({ content: [{ type: "text", text: round.text }] })
          : delta({ content: null, tool_calls: [call(round)] }),
        delta({ content: "" }, finishOf(round)),
      );
      return all.map((chunk, at) => (at === all.length - 1 ? { ...chunk, usage: USAGE } : chunk));
    },
    message: (round) => ({
      role: "assistant",
      tool_calls: round.call === undefined ? null : [call(round)],
      content: [thinking(round.thought), ...(round.text === "" ? [] : [{ type: "text", text: round.text }])],
    }),
    back: ({ thought, text }) => ({
      content: [thinking(thought), ...(text === "" ? [] : [{ type: "text", text }])],
    }),
    usage: USAGE,
  };
}

function openAi(): Dialect {
  const details = {
    prompt_tokens_details: { cached_tokens: 3, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 4, audio_tokens: 0, accepted_prediction_tokens: 1 },
  };
  const head = {
    id: "chatcmpl-D8Z5oo6u",
    model: "gpt-4.1",
    service_tier: "default",
    usage: null,
    obfuscation: "Qup1",
  };
  return {
    name: "OpenAI",
    source: "vercel/ai packages/openai/src/chat/__fixtures__/openai-text.chunks.txt",
    chunks: (round) => [
      ...frames(head)(
        delta({ role: "assistant", content: round.call === undefined ? "" : null, refusal: null }),
        ...(round.call === undefined
          ? halves(round.text).map((piece) => delta({ content: piece }))
          : [
              delta({ tool_calls: [{ index: 0, ...callOf(idOf("call_", round), "") }] }),
              ...halves(round.call).map((piece) =>
                delta({ tool_calls: [{ index: 0, function: { arguments: piece } }] }),
              ),
            ]),
        delta({}, finishOf(round)),
      ),
      { ...head, object: "chat.completion.chunk", created: 1, choices: [], usage: { ...USAGE, ...details } },
    ],
    message: (round) => ({
      role: "assistant",
      content: round.call === undefined ? round.text : null,
      refusal: null,
      annotations: [],
      ...(round.call === undefined ? {} : { tool_calls: [callOf(idOf("call_", round), round.call)] }),
    }),
    back: () => ({}),
    usage: { ...USAGE, ...details },
  };
}

/** As gateways answer: details of the reasoning in fragments, a signature with the call, comments, no `[DONE]`. */
function gateway(): Dialect {
  const detail = (text: string): Loose => ({ type: "reasoning.text", text, format: "claude-v1", index: 0 });
  const signed = { type: "reasoning.encrypted", data: "c2VhbGVk", id: "rs_1", format: "claude-v1", index: 0 };
  const extra = { extra_content: { google: { thought_signature: "c2ln" } } };
  return {
    name: "a gateway",
    source: "teamcmcbot/openrouter-chatbot validation-reasoning-fix.md",
    preface: ": PROCESSING\n\nevent: ping\ndata: pong\n\n",
    done: false,
    chunks: (round) => [
      ...frames({ id: "gen-1", model: "any", provider: "Any" })(
        ...halves(round.thought).map((piece) =>
          delta({ role: "assistant", content: "", reasoning: piece, reasoning_details: [detail(piece)] }),
        ),
        delta({ content: round.text, reasoning_details: [signed] }),
        ...(round.call === undefined
          ? []
          : [delta({ tool_calls: [{ index: 0, ...callOf(idOf("tool_", round), round.call), ...extra }] })]),
        delta({ content: "" }, finishOf(round), { native_finish_reason: "end_turn" }),
      ),
      // After the reason, a frame with an empty one.
      {
        id: "gen-1",
        object: "chat.completion.chunk",
        created: 1,
        model: "any",
        choices: [delta({ role: "assistant", content: "" }, "")],
        usage: USAGE,
      },
    ],
    message: (round) => ({
      role: "assistant",
      content: round.text,
      refusal: null,
      reasoning: round.thought,
      reasoning_details: [detail(round.thought), signed],
      ...(round.call === undefined
        ? {}
        : { tool_calls: [{ ...callOf(idOf("tool_", round), round.call), ...extra }] }),
    }),
    back: ({ thought, call }) => ({
      reasoning: thought,
      reasoning_details: [detail(thought), signed],
      ...(call === undefined ? {} : { "tool_calls.0": extra }),
    }),
    usage: USAGE,
  };
}

export const ALL: readonly Dialect[] = [...DIALECTS, kimi(), mistral(), openAi(), gateway()];

/** The stream of a round as text. */
export function streamOf(dialect: Dialect, round: Round): string {
  const events = dialect.chunks(round).map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`);
  return `${dialect.preface ?? ""}${events.join("")}${dialect.done === false ? "" : "data: [DONE]\n\n"}`;
}

export function wholeOf(dialect: Dialect, round: Round): Loose {
  return {
    id: "chatcmpl-whole",
    object: "chat.completion",
    created: 1_785_880_004,
    model: "any",
    choices: [{ index: 0, message: dialect.message(round), logprobs: null, finish_reason: finishOf(round) }],
    usage: dialect.usage,
  };
}

/** What the server misses in the messages that come back; undefined if nothing. */
export function missing(dialect: Dialect, messages: readonly unknown[]): string | undefined {
  const turns = messages.filter((one): one is Loose => (one as Loose)["role"] === "assistant");
  for (const [at, turn] of turns.entries()) {
    const round = ROUNDS[at];
    if (round === undefined) continue;
    for (const [field, expected] of Object.entries(dialect.back(round))) {
      const given = field === "tool_calls.0" ? subset(firstCall(turn), expected) : turn[field];
      if (!Bun.deepEquals(given, expected))
        return `messages: ${field} must be passed back, not ${JSON.stringify(given)}`;
    }
  }
  return undefined;
}

function firstCall(turn: Loose): Loose {
  return ((turn["tool_calls"] as Loose[] | undefined) ?? [])[0] ?? {};
}

function subset(given: Loose, expected: unknown): Loose {
  return Object.fromEntries(Object.keys(expected as Loose).map((key) => [key, given[key]]));
}
