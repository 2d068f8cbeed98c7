// The response record: what the request asked for, and how it ended.
import { isObject } from "../../base";
import type { Outcome } from "../loop/converse";
import type { Usage } from "../loop/usage";
import type { Loose } from "../upstream/client";
import type { ResponsesRequest } from "./schema";

/** The fields of the request that every response repeats. `tools` as the model got them. */
export function echoed(request: ResponsesRequest, tools: readonly unknown[]): Loose {
  const { instructions, tool_choice: choice, reasoning, text, metadata, user } = request;
  const { max_output_tokens, parallel_tool_calls: parallel, temperature, top_p, top_logprobs } = request;
  const { effort = null, summary = null } = isObject(reasoning) ? reasoning : {};
  return {
    background: false,
    instructions: instructions ?? null,
    max_output_tokens: max_output_tokens ?? null,
    max_tool_calls: null,
    metadata: metadata ?? {},
    parallel_tool_calls: parallel ?? true,
    previous_response_id: null,
    reasoning: { effort, summary },
    store: false,
    temperature: temperature ?? null,
    text: { format: { type: "text" }, ...(isObject(text) ? text : {}) },
    // Choices of this server are not of the protocol.
    tool_choice: choice === undefined || choice === "execute" || choice === "generate" ? "auto" : choice,
    tools,
    top_logprobs: top_logprobs ?? null,
    top_p: top_p ?? null,
    truncation: "disabled",
    ...(user === undefined ? {} : { user }),
  };
}

/** How a response ended. `now`: seconds since 1970. */
export function endOf({ finish, usage, authorizations }: Outcome, now: number): Loose {
  const reason = REASONS[finish];
  return {
    ...(reason === undefined
      ? { status: "completed", completed_at: now }
      : { status: "incomplete", incomplete_details: { reason } }),
    usage: usage === undefined ? null : usageOf(usage),
    ...(authorizations.length === 0 ? {} : { tool_authorizations: authorizations }),
  };
}

const REASONS: Readonly<Record<string, string>> = {
  length: "max_output_tokens",
  content_filter: "content_filter",
};

function usageOf(usage: Usage): Loose {
  const { prompt_tokens, completion_tokens, total_tokens } = usage;
  const [input, output] = [usage["prompt_tokens_details"], usage["completion_tokens_details"]];
  const detail = (details: unknown, field: string): number => {
    const count = isObject(details) ? details[field] : undefined;
    return typeof count === "number" ? count : 0;
  };
  return {
    input_tokens: prompt_tokens,
    input_tokens_details: {
      cached_tokens: detail(input, "cached_tokens"),
      cache_write_tokens: detail(input, "cache_write_tokens"),
    },
    output_tokens: completion_tokens,
    output_tokens_details: {
      reasoning_tokens: detail(output, "reasoning_tokens") || detail(usage, "reasoning_tokens"),
    },
    total_tokens,
  };
}
