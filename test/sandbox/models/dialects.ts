// How servers of chat completions differ. Each dialect follows recorded answers frame by frame: fields and shapes are
// theirs, the texts are ours. A conversation has three rounds: two calls of a tool, then the answer.

/** What the model says in a round. */
export interface Round {
  thought: string;
  /** Arguments of its call; undefined in the last round. */
  call: string | undefined;
  text: string;
}

export const ROUNDS: readonly Round[] = [
  { thought: "First 😀, I look.", call: '{"text":"a"}', text: "" },
  { thought: "Once more.", call: '{"text":"b"}', text: "" },
  { thought: "That is all.", call: undefined, text: "Done: ä😀." },
];
export const TOOL = "Test_Look";

type Loose = Record<string, unknown>;

export interface Dialect {
  name: string;
  /** Repository and path of the recording. */
  source: string;
  chunks(round: Round): Loose[];
  /** The message of a whole answer. */
  message(round: Round): Loose;
  /** The fields of a message that this server requires when it comes back. */
  back(round: Round): Loose;
  usage: Loose;
  /** Lines before the first frame, such as comments. */
  preface?: string;
  done?: false;
}

const USAGE = { prompt_tokens: 30, completion_tokens: 12, total_tokens: 42 };

export function finishOf({ call }: Round): string {
  return call === undefined ? "stop" : "tool_calls";
}

const halves = (text: string): string[] => [text.slice(0, 4), text.slice(4)];
const delta = (fields: Loose, finish: string | null = null, more: Loose = {}): Loose => ({
  index: 0,
  delta: fields,
  logprobs: null,
  finish_reason: finish,
  ...more,
});
const frames =
  (head: Loose) =>
  (...choices: Loose[]): Loose[] =>
    choices.map((choice) => ({
      ...head,
      object: "chat.completion.chunk",
      created: 1_785_880_004,
      choices: [choice],
    }));
const callOf = (id: string, text: string): Loose => ({
  id,
  type: "function",
  function: { name: TOOL, arguments: text },
});
const thoughtAs =
  (field: string) =>
  ({ thought }: Round): Loose => ({ [field]: thought });

/** Ids of calls are unique in a conversation. */
const idOf = (prefix: string, { call = "" }: Round): string =>
  `${prefix}${Buffer.from(call).toString("hex")}`;

function vllm(): Dialect {
  const head = { id: "chatcmpl-d0c68c86", model: "qwen3" };
  const chunks = (round: Round): Loose[] => [
    ...frames(head)(
      delta({ role: "assistant", content: "" }),
      ...halves(round.thought).map((piece) => delta({ reasoning_content: piece })),
      ...halves(round.text).map((piece) => delta({ content: piece })),
      ...(round.call === undefined
        ? []
        : [
            delta({
              tool_calls: [
                { ...callOf(idOf("chatcmpl-tool-", round), ""), index: 0, function: { name: TOOL } },
              ],
            }),
            ...halves(round.call).map((piece) =>
              delta({ tool_calls: [{ index: 0, function: { arguments: piece } }] }),
            ),
          ]),
      delta({ content: "" }, finishOf(round), { stop_reason: null }),
    ),
    { ...head, object: "chat.completion.chunk", created: 1_785_880_004, choices: [], usage: USAGE },
  ];
  return {
    name: "vLLM",
    source: "g0t4/ask-openai.nvim lua/ask-openai/tools/tests/sse.lua",
    chunks,
    message: (round) => ({
      role: "assistant",
      content: round.call === undefined ? round.text : null,
      refusal: null,
      annotations: null,
      audio: null,
      function_call: null,
      tool_calls: round.call === undefined ? [] : [callOf(idOf("chatcmpl-tool-", round), round.call)],
      reasoning_content: round.thought,
    }),
    back: thoughtAs("reasoning_content"),
    usage: USAGE,
  };
}

function sglang(): Dialect {
  const empty = { role: null, content: null, reasoning_content: null, tool_calls: null };
  const head = { id: "8fe1630f301c48a3", model: "qwen3", usage: null };
  const one = (fields: Loose, finish: string | null = null): Loose =>
    delta({ ...empty, ...fields }, finish, { matched_stop: null });
  return {
    name: "SGLang",
    source: "sgl-project/sglang python/sglang/srt/entrypoints/openai/serving_chat.py",
    chunks: (round) => [
      ...frames(head)(
        one({ role: "assistant", content: "" }),
        ...halves(round.thought).map((piece) => one({ reasoning_content: piece })),
        ...(round.text === "" ? [] : [one({ content: round.text })]),
        ...(round.call === undefined
          ? []
          : ["", ...halves(round.call)].map((piece) =>
              // The id is in every fragment.
              one({ tool_calls: [{ index: 0, ...callOf(idOf("call_", round), piece) }] }),
            )),
        one({}, finishOf(round)),
      ),
      {
        ...head,
        object: "chat.completion.chunk",
        created: 1,
        choices: [],
        usage: { ...USAGE, reasoning_tokens: 5 },
      },
    ],
    message: (round) => ({
      role: "assistant",
      content: round.text === "" ? null : round.text,
      reasoning_content: round.thought,
      tool_calls:
        round.call === undefined ? null : [{ ...callOf(idOf("call_", round), round.call), index: 0 }],
    }),
    back: thoughtAs("reasoning_content"),
    usage: { ...USAGE, reasoning_tokens: 5 },
  };
}

function llamaCpp(): Dialect {
  const head = { id: "chatcmpl-DHvcEyFobkuV4Xu1", model: "gpt-oss", system_fingerprint: "b6881-8b11deea4" };
  const timings = { prompt_n: 1085, prompt_ms: 203.378, predicted_n: 247, predicted_per_second: 264.55 };
  return {
    name: "llama.cpp",
    source: "g0t4/ask-openai.nvim lua/ask-openai/rewrites/harmony/NOTES.md",
    chunks: (round) => {
      const all = frames(head)(
        { finish_reason: null, index: 0, delta: { role: "assistant", content: null } },
        ...halves(round.thought).map((piece) => ({
          finish_reason: null,
          index: 0,
          delta: { reasoning_content: piece },
        })),
        ...(round.call === undefined
          ? [{ finish_reason: null, index: 0, delta: { content: round.text } }]
          : [
              {
                finish_reason: null,
                index: 0,
                delta: { tool_calls: [{ index: 0, ...callOf(idOf("", round), "{") }] },
              },
              {
                finish_reason: null,
                index: 0,
                delta: { tool_calls: [{ index: 0, function: { arguments: round.call.slice(1) } }] },
              },
            ]),
        { finish_reason: finishOf(round), index: 0, delta: {} },
      );
      return all.map((chunk, at) => (at === all.length - 1 ? { ...chunk, usage: USAGE, timings } : chunk));
    },
    message: (round) => ({
      role: "assistant",
      reasoning_content: round.thought,
      content: round.text,
      ...(round.call === undefined ? {} : { tool_calls: [callOf(idOf("", round), round.call)] }),
    }),
    back: thoughtAs("reasoning_content"),
    usage: USAGE,
  };
}

function ollama(): Dialect {
  const head = { id: "chatcmpl-304", model: "qwen3", system_fingerprint: "fp_ollama" };
  const one = (fields: Loose, finish: string | null = null): Loose => ({
    index: 0,
    delta: { role: "assistant", content: "", ...fields },
    finish_reason: finish,
  });
  return {
    name: "Ollama",
    source: "g0t4/ask-openai.nvim lua/ask-openai/backends/ollama/notes/sses.md",
    chunks: (round) => [
      ...frames(head)(
        ...halves(round.thought).map((piece) => one({ reasoning: piece })),
        ...(round.call === undefined
          ? [one({ content: round.text })]
          : [one({ tool_calls: [{ index: 0, ...callOf(idOf("call_", round), round.call) }] })]),
        one({}, finishOf(round)),
      ),
      { ...head, object: "chat.completion.chunk", created: 1, choices: [], usage: USAGE },
    ],
    message: (round) => ({
      role: "assistant",
      content: round.text,
      reasoning: round.thought,
      ...(round.call === undefined
        ? {}
        : { tool_calls: [{ ...callOf(idOf("call_", round), round.call), index: 0 }] }),
    }),
    back: thoughtAs("reasoning"),
    usage: USAGE,
  };
}

function deepseek(): Dialect {
  const head = { id: "6e77be01-935b", model: "deepseek-chat", system_fingerprint: "a26a7955", usage: null };
  const usage = {
    ...USAGE,
    prompt_tokens_details: { cached_tokens: 8 },
    completion_tokens_details: { reasoning_tokens: 7 },
    prompt_cache_hit_tokens: 8,
    prompt_cache_miss_tokens: 22,
  };
  return {
    name: "DeepSeek",
    source: "vercel/ai packages/deepseek/src/chat/__fixtures__/deepseek-tool-call.chunks.txt",
    chunks: (round) => {
      const all = frames(head)(
        delta({ role: "assistant", content: null, reasoning_content: "" }),
        ...halves(round.thought).map((piece) => delta({ content: null, reasoning_content: piece })),
        ...(round.call === undefined
          ? [delta({ content: round.text, reasoning_content: null })]
          : [
              delta({ tool_calls: [{ index: 0, ...callOf(idOf("call_00_", round), "") }] }),
              ...[...round.call].map((piece) =>
                delta({ tool_calls: [{ index: 0, function: { arguments: piece } }] }),
              ),
            ]),
        delta({ content: "", reasoning_content: null }, finishOf(round)),
      );
      return all.map((chunk, at) => (at === all.length - 1 ? { ...chunk, usage } : chunk));
    },
    preface: ": keep-alive\n\n: keep-alive\n\n",
    message: (round) => ({
      role: "assistant",
      content: round.text,
      reasoning_content: round.thought,
      ...(round.call === undefined
        ? {}
        : { tool_calls: [{ ...callOf(idOf("call_00_", round), round.call), index: 0 }] }),
    }),
    back: thoughtAs("reasoning_content"),
    usage,
  };
}

export const DIALECTS: readonly Dialect[] = [vllm(), sglang(), llamaCpp(), ollama(), deepseek()];
export { callOf, delta, frames, halves, idOf, type Loose, USAGE };
