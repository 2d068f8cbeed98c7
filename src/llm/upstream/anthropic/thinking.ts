// How much the model thinks: `reasoning_effort` of chat completions, and the fields of the messages protocol itself.
import { isObject } from "../../../base";
import { invalidParameter } from "../../../errors";
import type { ChatBody, Loose } from "../client";

/** Efforts of chat completions, and those of the messages protocol. */
const EFFORTS: Readonly<Record<string, string>> = {
  minimal: "low",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "xhigh",
  max: "max",
};

/** The fields of the request. Throws `invalid_parameter` for values that are unknown or contradict each other. */
export function thinkingOf(body: ChatBody): Loose {
  const { thinking, reasoning_effort: effort, output_config: config } = body;
  if (isGiven(thinking) && !isObject(thinking))
    throw invalidParameter("thinking must be an object with a type.");
  if (isGiven(config) && !isObject(config)) throw invalidParameter("output_config must be an object.");
  const given = {
    ...(isObject(thinking) ? { thinking } : {}),
    ...(isObject(config) ? { output_config: config } : {}),
  };
  if (!isGiven(effort)) return given;
  if (effort === "none") return { ...given, ...withoutThinking(thinking) };
  const translated =
    typeof effort === "string" && Object.hasOwn(EFFORTS, effort) ? EFFORTS[effort] : undefined;
  if (translated === undefined) {
    throw invalidParameter(`reasoning_effort must be none or one of ${Object.keys(EFFORTS).join(", ")}.`);
  }
  const own = isObject(config) ? config["effort"] : undefined;
  if (own !== undefined && own !== translated) {
    throw invalidParameter("reasoning_effort and output_config.effort differ. Send only one of them.");
  }
  return { ...given, output_config: { ...(isObject(config) ? config : {}), effort: translated } };
}

function withoutThinking(thinking: unknown): Loose {
  if (isObject(thinking) && thinking["type"] !== "disabled") {
    throw invalidParameter(
      "reasoning_effort none and thinking contradict each other. Send only one of them.",
    );
  }
  return { thinking: { type: "disabled" } };
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
