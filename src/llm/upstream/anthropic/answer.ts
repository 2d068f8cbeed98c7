// Converts answers of the messages protocol to chat completions.
import { isObject } from "../../../base";
import type { Loose } from "../client";
import { blockFields, thinkingOf } from "./blocks";

/** A message as a `chat.completion`. `now`: seconds since 1970. */
export function completionOf(message: Loose, now: number): Loose {
  const blocks = Array.isArray(message["content"]) ? message["content"].filter(isObject) : [];
  const text = blocks.map((block) => (block["type"] === "text" ? String(block["text"] ?? "") : "")).join("");
  const calls = blocks.filter(({ type }) => type === "tool_use").map(callOf);
  const thinking = thinkingOf(blocks);
  return {
    id: message["id"],
    object: "chat.completion",
    created: now,
    model: message["model"],
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: text,
          ...(thinking === "" ? {} : { reasoning_content: thinking }),
          ...blockFields(blocks),
          ...(calls.length === 0 ? {} : { tool_calls: calls }),
        },
        finish_reason: finishOf(message["stop_reason"]),
      },
    ],
    usage: usageOf(message["usage"]),
  };
}

function callOf({ id, name, input }: Loose): Loose {
  return { id, type: "function", function: { name, arguments: JSON.stringify(input ?? {}) } };
}

const REASONS: Readonly<Record<string, string>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  pause_turn: "stop",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  tool_use: "tool_calls",
  refusal: "content_filter",
};

export function finishOf(reason: unknown): string {
  return REASONS[String(reason)] ?? "stop";
}

/** Tokens read from or written to the cache count as tokens of the prompt. */
export function usageOf(usage: unknown): Loose {
  const given = isObject(usage) ? usage : {};
  const count = (name: string): number => (typeof given[name] === "number" ? given[name] : 0);
  const cached = count("cache_read_input_tokens");
  const written = count("cache_creation_input_tokens");
  const prompt = count("input_tokens") + written + cached;
  const completed = count("output_tokens");
  return {
    prompt_tokens: prompt,
    completion_tokens: completed,
    total_tokens: prompt + completed,
    ...(cached === 0 && written === 0
      ? {}
      : {
          prompt_tokens_details: {
            cached_tokens: cached,
            ...(written === 0 ? {} : { cache_write_tokens: written }),
          },
        }),
  };
}
