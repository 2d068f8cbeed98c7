// One turn of a model: what the server sent, and what we understood of it, from a whole answer or from a stream.
import { isObject } from "../../base";
import { contentFields } from "../content-parts";
import { CallFragments, type RequestedCall, wholeCalls } from "../stream/fragments";
import { merge, withoutNulls } from "../stream/merge";
import type { ChatMessage, Loose } from "../upstream/client";
import { type Call, toolCall } from "./call";
import { finishOf } from "./finish";
import { type Usage, usageOf } from "./usage";

/** The metadata of an answer. */
export interface Head {
  id?: string;
  created?: number;
  model?: string;
  system_fingerprint?: string;
}

export interface Turn {
  head: Head;
  /** The message as the server sent it, without its calls. It is sent back like this: servers expect their fields. */
  message: Loose;
  text: string;
  calls: readonly RequestedCall[];
  finish: string;
  /** Whether the server cut it off at its limit of length: arguments of calls may be incomplete. */
  isCut: boolean;
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
  const given = isObject(choice["message"]) ? choice["message"] : {};
  const { tool_calls: calls, function_call: older, ...message } = given;
  const found = wholeCalls(calls);
  return turn(
    headOf(completion),
    withoutNulls(message),
    found.length === 0 ? wholeCalls(asCalls(older)) : found,
    {
      finish: choice["finish_reason"],
      usage: completion["usage"],
      logprobs: choice["logprobs"],
    },
  );
}

/** Reads a stream to its end. `isName`: whether a tool that the model may call has this name. */
export async function* streamTurn(
  chunks: AsyncGenerator<Loose, void>,
  isName: (name: string) => boolean,
): AsyncGenerator<Delta, Turn> {
  const [fragments, olderFragments] = [new CallFragments(isName), new CallFragments(isName)];
  const message: Loose = {};
  let head: Head = {};
  let finish: unknown;
  let usage: unknown;
  for await (const chunk of chunks) {
    head = { ...headOf(chunk), ...head };
    // Most servers send it in a frame of its own at the end, some in every frame: the last one counts.
    if (isObject(chunk["usage"])) usage = chunk["usage"];
    const choice = firstChoice(chunk);
    if (choice === undefined) continue;
    // Some servers send it with the choice.
    if (isObject(choice["usage"]) && !isObject(chunk["usage"])) usage = choice["usage"];
    // An empty reason never replaces a real one.
    if (typeof choice["finish_reason"] === "string" && choice["finish_reason"] !== "")
      finish = choice["finish_reason"];
    const given = isObject(choice["delta"]) ? choice["delta"] : {};
    const { tool_calls: calls, function_call: older, ...more } = given;
    fragments.add(calls);
    olderFragments.add(asCalls(older));
    merge(message, more);
    const { role: _, content, ...others } = withoutNulls(more);
    const piece = textOf(content);
    if (piece === "" && Object.keys(others).length === 0) continue;
    const delta = { ...others, ...(piece === "" ? {} : { content: piece }) };
    yield { head, delta, ...(isObject(choice["logprobs"]) ? { logprobs: choice["logprobs"] } : {}) };
  }
  const found = fragments.calls.length === 0 ? olderFragments.calls : fragments.calls;
  return turn(head, message, found, { finish, usage });
}

/** The message of a turn with these calls, for the conversation. */
export function assistantMessage({ message, text }: Turn, calls: readonly Call[]): ChatMessage {
  return {
    ...message,
    role: "assistant",
    ...contentFields(message["content"], text),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(toolCall) }),
  };
}

function turn(
  head: Head,
  message: Loose,
  calls: readonly RequestedCall[],
  { finish, usage, logprobs }: { finish: unknown; usage: unknown; logprobs?: unknown },
): Turn {
  const isFiltered = finishOf(finish, false) === "content_filter";
  const kept = isFiltered ? [] : calls;
  return {
    head,
    message,
    text: textOf(message["content"]),
    calls: kept,
    finish: finishOf(finish, kept.length > 0),
    isCut: finishOf(finish, false) === "length",
    usage: usageOf(usage),
    ...(isObject(logprobs) ? { logprobs } : {}),
  };
}

/** The call of the older protocol, which has one and no id. */
function asCalls(older: unknown): Loose[] {
  return isObject(older) && Object.keys(older).length > 0 ? [{ index: 0, function: older }] : [];
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

/** Text, or that of parts. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((part) => (isObject(part) && typeof part["text"] === "string" ? part["text"] : ""))
    .join("");
}
