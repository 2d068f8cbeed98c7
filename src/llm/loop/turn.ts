// One turn of a model: its text and its calls, from a whole answer or from a stream.
import { isObject } from "../../base";
import { CallFragments, type RequestedCall, wholeCalls } from "../stream/fragments";
import type { Loose } from "../upstream/client";

/** The metadata of an answer. */
export interface Head {
  id?: string;
  created?: number;
  model?: string;
  system_fingerprint?: string;
}

export interface Usage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
}

export interface Turn {
  head: Head;
  text: string;
  calls: readonly RequestedCall[];
  finish: string;
  usage: Usage | undefined;
  logprobs?: unknown;
}

/** A piece of the text, without calls. */
export interface Delta {
  head: Head;
  delta: Loose;
  logprobs?: unknown;
}

/** The first choice of a whole answer. */
export function turnOf(completion: Loose): Turn {
  const choice = firstChoice(completion) ?? {};
  const message = isObject(choice["message"]) ? choice["message"] : {};
  return turn(headOf(completion), textOf(message["content"]), wholeCalls(message["tool_calls"]), {
    finish: choice["finish_reason"],
    usage: completion["usage"],
    logprobs: choice["logprobs"],
  });
}

/** Reads a stream to its end. `isName`: whether a tool that the model may call has this name. */
export async function* streamTurn(
  chunks: AsyncGenerator<Loose, void>,
  isName: (name: string) => boolean,
): AsyncGenerator<Delta, Turn> {
  const fragments = new CallFragments(isName);
  let head: Head = {};
  let text = "";
  let finish: unknown;
  let usage: unknown;
  for await (const chunk of chunks) {
    head = { ...headOf(chunk), ...head };
    // Most servers send it in a frame of its own at the end, some in every frame: the last one counts.
    if (isObject(chunk["usage"])) usage = chunk["usage"];
    const choice = firstChoice(chunk);
    if (choice === undefined) continue;
    finish = choice["finish_reason"] ?? finish;
    const { tool_calls: calls, content, role: _, ...more } = isObject(choice["delta"]) ? choice["delta"] : {};
    fragments.add(calls);
    const piece = textOf(content);
    text += piece;
    const others = Object.entries(more).filter(([, value]) => value !== null && value !== undefined);
    if (piece === "" && others.length === 0) continue;
    const delta = { ...Object.fromEntries(others), ...(piece === "" ? {} : { content: piece }) };
    yield { head, delta, ...(isObject(choice["logprobs"]) ? { logprobs: choice["logprobs"] } : {}) };
  }
  return turn(head, text, fragments.calls, { finish, usage });
}

// The finish reason of a server may contradict its content: the content counts.
function turn(
  head: Head,
  text: string,
  calls: readonly RequestedCall[],
  { finish, usage, logprobs }: { finish: unknown; usage: unknown; logprobs?: unknown },
): Turn {
  const reason = typeof finish === "string" ? finish : "stop";
  const filtered = reason === "content_filter";
  const kept = filtered ? [] : calls;
  const settled =
    kept.length > 0 ? "tool_calls" : reason === "tool_calls" || reason === "function_call" ? "stop" : reason;
  return {
    head,
    text,
    calls: kept,
    finish: settled,
    usage: usageOf(usage),
    ...(isObject(logprobs) ? { logprobs } : {}),
  };
}

function firstChoice({ choices }: Loose): Loose | undefined {
  if (!Array.isArray(choices)) return undefined;
  return choices.filter(isObject).find(({ index }) => index === undefined || index === 0);
}

function headOf({ id, created, model, system_fingerprint: fingerprint }: Loose): Head {
  return {
    ...(typeof id === "string" && id !== "" ? { id } : {}),
    ...(typeof created === "number" ? { created } : {}),
    ...(typeof model === "string" ? { model } : {}),
    ...(typeof fingerprint === "string" ? { system_fingerprint: fingerprint } : {}),
  };
}

// Text, or parts with text.
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((part) => (isObject(part) && typeof part["text"] === "string" ? part["text"] : ""))
    .join("");
}

function usageOf(usage: unknown): Usage | undefined {
  if (!isObject(usage)) return undefined;
  const [prompt = 0, completed = 0, total] = [
    usage["prompt_tokens"],
    usage["completion_tokens"],
    usage["total_tokens"],
  ].map((value) => (typeof value === "number" && Number.isFinite(value) ? value : undefined));
  return { prompt_tokens: prompt, completion_tokens: completed, total_tokens: total ?? prompt + completed };
}

export function addUsage(left: Usage | undefined, right: Usage | undefined): Usage | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  return {
    prompt_tokens: left.prompt_tokens + right.prompt_tokens,
    completion_tokens: left.completion_tokens + right.completion_tokens,
    total_tokens: left.total_tokens + right.total_tokens,
  };
}
