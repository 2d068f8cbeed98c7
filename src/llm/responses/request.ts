// A request of the Responses protocol as one of chat completions.
import { isObject } from "../../base";
import { invalidParameter } from "../../errors";
import type { ChatRequest } from "../schema";
import type { ModelServer } from "../server-of";
import { chatMessages } from "./input";
import type { ResponsesRequest } from "./schema";
import { chatChoice, chatTools } from "./tools";

type Loose = { [field: string]: unknown };

/**
 * Fields without a counterpart that only concern caching, statistics or hosted tools are left out; unknown fields are passed
 * on. Throws `invalid_parameter` that names the fields that would change the answer or need a stored response.
 */
export function chatRequestOf(request: ResponsesRequest, { type }: Pick<ModelServer, "type">): ChatRequest {
  refuse(request, REFUSED, "it is called with the whole conversation each time, and nothing is stored");
  if (type !== "openai") refuse(request, NOT_IN_MESSAGES, "its protocol has no counterpart");
  const { model, tools, tool_choice: choice, max_output_tokens: limit, reasoning, text, stream } = request;
  const functions = chatTools(tools);
  const others = Object.entries(request).filter(([field, value]) => !KNOWN.has(field) && isGiven(value));
  const effort = isObject(reasoning) ? reasoning["effort"] : undefined;
  // The messages are checked, and the fields are those that the schema of chat completions checks as well.
  return {
    ...Object.fromEntries(others),
    model,
    messages: chatMessages(request),
    ...(functions.length === 0 ? {} : { tools: functions }),
    ...(functions.length === 0 && PASSIVE.has(choice) ? {} : choiceOf(choice)),
    ...(isGiven(limit) ? { max_tokens: limit } : {}),
    ...(isGiven(effort) ? { reasoning_effort: effort } : {}),
    ...formatOf(text),
    ...logprobsOf(request),
    ...(stream === true ? { stream, stream_options: { include_usage: true } } : {}),
  } as ChatRequest;
}

/** Choices that mean nothing without tools, and that servers refuse then. */
const PASSIVE: ReadonlySet<unknown> = new Set([undefined, "none", "auto"]);

interface Refusal {
  field: string;
  isRefused(request: Loose): boolean;
}

function choiceOf(choice: ResponsesRequest["tool_choice"]): Loose {
  return choice === undefined ? {} : { tool_choice: chatChoice(choice) };
}

const given = (field: string): Refusal => ({ field, isRefused: (request) => isGiven(request[field]) });
const set = (field: string): Refusal => ({ field, isRefused: (request) => request[field] === true });

const REFUSED: readonly Refusal[] = [
  given("previous_response_id"),
  set("store"),
  set("background"),
  given("conversation"),
  given("prompt"),
  given("max_tool_calls"),
  given("moderation"),
  { field: "context_management", isRefused: ({ context_management: list }) => isFilled(list) },
  { field: "truncation", isRefused: ({ truncation }) => truncation === "auto" },
];

const NOT_IN_MESSAGES: readonly Refusal[] = [
  { field: "text.format", isRefused: ({ text }) => formatType(text) !== "text" },
  { field: "text.verbosity", isRefused: ({ text }) => isObject(text) && isGiven(text["verbosity"]) },
  { field: "top_logprobs", isRefused: (request) => Object.keys(logprobsOf(request)).length > 0 },
];

function refuse(request: Loose, refusals: readonly Refusal[], reason: string): void {
  const fields = refusals.filter(({ isRefused }) => isRefused(request)).map(({ field }) => field);
  if (fields.length === 0) return;
  const [verb, pronoun] = fields.length === 1 ? ["is", "it"] : ["are", "them"];
  throw invalidParameter(
    `${fields.join(" and ")} ${verb} not supported by this model: ${reason}. Leave ${pronoun} out or use another model.`,
  );
}

function formatOf(text: unknown): Loose {
  if (!isObject(text)) return {};
  const { format, verbosity } = text;
  return {
    ...(isGiven(verbosity) ? { verbosity } : {}),
    ...(isObject(format) && formatType(text) !== "text" ? { response_format: nested(format) } : {}),
  };
}

function nested({ type, ...fields }: Loose): Loose {
  return type === "json_schema" ? { type, json_schema: fields } : { type, ...fields };
}

function formatType(text: unknown): unknown {
  const format = isObject(text) ? text["format"] : undefined;
  return isObject(format) ? (format["type"] ?? "text") : "text";
}

function logprobsOf({ include, top_logprobs: top }: Loose): Loose {
  const isAsked = Array.isArray(include) && include.includes("message.output_text.logprobs");
  const count = typeof top === "number" && top > 0 ? { top_logprobs: top } : {};
  return isAsked || "top_logprobs" in count ? { logprobs: true, ...count } : {};
}

/** Fields that are translated, refused, or left out because they do not concern the answer. */
const KNOWN = new Set([
  "model",
  "input",
  "instructions",
  "tools",
  "tool_choice",
  "max_output_tokens",
  "max_tool_calls",
  "reasoning",
  "text",
  "top_logprobs",
  "include",
  "stream",
  "stream_options",
  "store",
  "background",
  "previous_response_id",
  "conversation",
  "prompt",
  "moderation",
  "context_management",
  "truncation",
  "metadata",
  "client_metadata",
  "safety_identifier",
  "prompt_cache_key",
  "prompt_cache_options",
  "prompt_cache_retention",
  "access_programs",
  "image",
]);

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function isFilled(list: unknown): boolean {
  return Array.isArray(list) && list.length > 0;
}
