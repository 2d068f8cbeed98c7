// What a model server says that an answer has cost, in any of the protocols.
import { isObject } from "../../base";

export interface Tokens {
  inputTokens?: number | undefined;
  outputTokens?: number | undefined;
}

export function tokensOf({ usage }: { [key: string]: unknown }): Tokens {
  if (!isObject(usage)) return {};
  return {
    inputTokens: countOf(usage["prompt_tokens"] ?? usage["input_tokens"]),
    outputTokens: countOf(usage["completion_tokens"] ?? usage["output_tokens"]),
  };
}

function countOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
