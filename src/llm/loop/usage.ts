// Counts of tokens, added up over the turns of a run.
import { isObject } from "../../base";

export interface Usage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  /** Details of the protocol, and counts of a server. */
  [field: string]: unknown;
}

/** The counts of an answer; undefined if it has none. */
export function usageOf(usage: unknown): Usage | undefined {
  if (!isObject(usage)) return undefined;
  const { prompt_tokens, completion_tokens, total_tokens } = usage;
  const [prompt, completed] = [countOf(prompt_tokens) ?? 0, countOf(completion_tokens) ?? 0];
  return {
    ...countsOf(usage),
    prompt_tokens: prompt,
    completion_tokens: completed,
    total_tokens: countOf(total_tokens) ?? prompt + completed,
  };
}

export function addUsage(left: Usage | undefined, right: Usage | undefined): Usage | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  const { prompt_tokens, completion_tokens, total_tokens } = left;
  return {
    ...sum(left, right),
    prompt_tokens: prompt_tokens + right.prompt_tokens,
    completion_tokens: completion_tokens + right.completion_tokens,
    total_tokens: total_tokens + right.total_tokens,
  };
}

function sum(left: { [field: string]: unknown }, right: { [field: string]: unknown }): object {
  const all: { [field: string]: unknown } = { ...left };
  for (const [field, value] of Object.entries(right)) {
    const before = all[field];
    if (isObject(value)) all[field] = sum(isObject(before) ? before : {}, value);
    else if (typeof value === "number") all[field] = value + (countOf(before) ?? 0);
  }
  return all;
}

/** The fields that count tokens. Rates and times cannot be added up. */
function countsOf(usage: { [field: string]: unknown }): { [field: string]: unknown } {
  return Object.fromEntries(
    Object.entries(usage)
      .filter(([field]) => /tokens(_details)?$/.test(field))
      .map(([field, value]) => [field, isObject(value) ? countsOf(value) : countOf(value)])
      .filter(([, value]) => value !== undefined),
  );
}

function countOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}
