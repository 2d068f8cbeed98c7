// Answers in the form of chat completions, whole and as a stream.
import type { ModelRequest, Said } from "./model";
import { MODEL } from "./model";

const PIECE = 12;

/** `id`: different for each answer. */
export function wholeAnswer(request: ModelRequest, said: Said, id: string, created: number): object {
  return {
    ...head("chat.completion", id, created),
    choices: [{ index: 0, message: messageOf(said, id), logprobs: null, finish_reason: finishOf(said) }],
    usage: usageOf(request, said),
  };
}

/** The text of an event stream. */
export function* streamedAnswer(
  request: ModelRequest,
  said: Said,
  id: string,
  created: number,
): Generator<string> {
  const chunk = (delta: object, finish: string | null = null): string =>
    frame({
      ...head("chat.completion.chunk", id, created),
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    });
  yield chunk({ role: "assistant", content: "" });
  if ("text" in said) for (const piece of pieces(said.text)) yield chunk({ content: piece });
  else {
    const called = { name: said.call.name, arguments: "" };
    yield chunk({ tool_calls: [{ index: 0, id: callId(id), type: "function", function: called }] });
    for (const piece of pieces(said.call.arguments))
      yield chunk({ tool_calls: [{ index: 0, function: { arguments: piece } }] });
  }
  yield chunk({}, finishOf(said));
  if (request.stream_options?.include_usage === true)
    yield frame({
      ...head("chat.completion.chunk", id, created),
      choices: [],
      usage: usageOf(request, said),
    });
  yield "data: [DONE]\n\n";
}

function head(object: string, id: string, created: number): object {
  return { id: `chatcmpl-${id}`, object, created, model: MODEL };
}

function messageOf(said: Said, id: string): object {
  if ("text" in said) return { role: "assistant", content: said.text };
  return {
    role: "assistant",
    content: null,
    tool_calls: [{ id: callId(id), type: "function", function: said.call }],
  };
}

function finishOf(said: Said): string {
  return "text" in said ? "stop" : "tool_calls";
}

function callId(id: string): string {
  return `call_${id}`;
}

/** A token has about four characters. */
function usageOf({ messages, tools }: ModelRequest, said: Said): object {
  const count = (value: unknown): number => Math.ceil(JSON.stringify(value ?? "").length / 4);
  const [prompt, completion] = [count([messages, tools]), count(said)];
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}

function pieces(text: string): string[] {
  const characters = [...text];
  return Array.from({ length: Math.ceil(characters.length / PIECE) }, (_, index) =>
    characters.slice(index * PIECE, (index + 1) * PIECE).join(""),
  );
}

function frame(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}
