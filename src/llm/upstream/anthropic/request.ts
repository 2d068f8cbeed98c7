// Converts a request of chat completions to the messages protocol.
import { isObject } from "../../../base";
import { invalidParameter } from "../../../errors";
import { checkLimits } from "../../limit-field";
import type { ModelServer } from "../../server-of";
import type { ChatBody, Loose } from "../client";
import { translated } from "./messages";
import { thinkingOf } from "./thinking";

/**
 * Fields that only tune sampling (temperature, top_p, penalties, seed, logit_bias) are left out: the protocol has none of
 * them any more, and newer models refuse them. Fields that would
 * change the form of the answer are refused with `invalid_parameter`.
 */
export function anthropicRequest(body: ChatBody, server: ModelServer, stream: boolean): Loose {
  refuseOtherForms(body);
  checkLimits(body);
  const { model, messages, max_tokens: limit, max_completion_tokens: newer, user, stop, tools } = body;
  const { system, messages: turns } = translated(messages);
  const functions = Array.isArray(tools) ? tools.map(toolOf) : [];
  return {
    model,
    max_tokens: newer ?? limit ?? server.maxTokens,
    messages: turns,
    ...(system === undefined ? {} : { system }),
    ...stopSequences(stop),
    ...thinkingOf(body),
    ...(typeof user === "string" ? { metadata: { user_id: user } } : {}),
    ...(functions.length === 0 ? {} : { tools: functions, ...choiceOf(body) }),
    ...(stream ? { stream } : {}),
  };
}

function refuseOtherForms(body: ChatBody): void {
  const { n, logprobs, top_logprobs: top, response_format: format, modalities, functions } = body;
  const found = {
    n: typeof n === "number" && n !== 1,
    logprobs: logprobs === true,
    top_logprobs: typeof top === "number" && top > 0,
    response_format: isObject(format) && format["type"] !== undefined && format["type"] !== "text",
    modalities: Array.isArray(modalities) && modalities.some((one) => one !== "text"),
    functions: Array.isArray(functions) && functions.length > 0,
    ...Object.fromEntries(OTHERS.map((field) => [field, body[field] !== undefined && body[field] !== null])),
  };
  const refused = Object.entries(found).flatMap(([field, isRefused]) => (isRefused ? [field] : []));
  if (refused.length === 0) return;
  const [verb, pronoun] = refused.length === 1 ? ["is", "it"] : ["are", "them"];
  throw invalidParameter(
    `${refused.join(" and ")} ${verb} not supported by this model. Leave ${pronoun} out or use another model.`,
  );
}

/** Fields that change what the answer is, and have no counterpart. */
const OTHERS = ["function_call", "audio", "web_search_options", "verbosity", "reasoning"] as const;

function toolOf(tool: unknown, index: number): Loose {
  const called = isObject(tool) && isObject(tool["function"]) ? tool["function"] : undefined;
  if (typeof called?.["name"] !== "string") {
    throw invalidParameter(`tools.${index}: this model accepts only functions.`);
  }
  const { name, description, parameters } = called;
  return {
    name,
    ...(typeof description === "string" ? { description } : {}),
    input_schema: isObject(parameters)
      ? { type: "object", ...parameters }
      : { type: "object", properties: {} },
  };
}

function choiceOf({ tool_choice: choice, parallel_tool_calls: parallel }: ChatBody): Loose {
  const alone = parallel === false ? { disable_parallel_tool_use: true } : {};
  if (choice === "none") return { tool_choice: { type: "none" } };
  if (choice === "required") return { tool_choice: { type: "any", ...alone } };
  const named = isObject(choice) && isObject(choice["function"]) ? choice["function"]["name"] : undefined;
  if (typeof named === "string") return { tool_choice: { type: "tool", name: named, ...alone } };
  return choice === "auto" || parallel === false ? { tool_choice: { type: "auto", ...alone } } : {};
}

// The protocol refuses stop sequences that are only white space.
function stopSequences(stop: unknown): Loose {
  const texts = (Array.isArray(stop) ? stop : [stop]).filter(
    (one): one is string => typeof one === "string" && one.trim() !== "",
  );
  return texts.length === 0 ? {} : { stop_sequences: texts };
}
