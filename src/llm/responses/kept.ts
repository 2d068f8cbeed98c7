// What a server of chat completions said besides text and calls, and wants back: reasoning, signatures, fields that we do
// not know. It travels as the `encrypted_content` of a reasoning item, which clients send back unchanged. It contains
// nothing that the caller must not see.
import { isObject, parseJson } from "../../base";
import type { ChatMessage, Loose } from "../upstream/client";

export interface Kept {
  /** Fields of the message. */
  message: Loose;
  /** Fields of its calls, by id. */
  calls: { [id: string]: Loose };
}

const PREFIX = "chat:";
const PLAIN = new Set(["role", "content", "tool_calls"]);

/** Undefined if text and calls say everything. */
export function keptOf(message: ChatMessage): string | undefined {
  const fields = Object.entries(message).filter(([field, value]) => !PLAIN.has(field) && !isEmpty(value));
  const calls = (Array.isArray(message["tool_calls"]) ? message["tool_calls"] : [])
    .filter(isObject)
    .map((call): [string, Loose] => [String(call["id"]), moreOf(call)])
    .filter(([, more]) => Object.keys(more).length > 0);
  if (fields.length === 0 && calls.length === 0) return undefined;
  const kept: Kept = { message: Object.fromEntries(fields), calls: Object.fromEntries(calls) };
  return PREFIX + Buffer.from(JSON.stringify(kept)).toString("base64url");
}

/** Undefined for the content of another server. */
export function readKept(content: unknown): Kept | undefined {
  if (typeof content !== "string" || !content.startsWith(PREFIX)) return undefined;
  try {
    const value = parseJson(Buffer.from(content.slice(PREFIX.length), "base64url").toString());
    const { message, calls } = isObject(value) ? value : {};
    if (!isObject(message)) return undefined;
    const { role: _, content: __, tool_calls: ___, ...fields } = message;
    return { message: fields, calls: isObject(calls) ? objectsOf(calls) : {} };
  } catch {
    return undefined;
  }
}

/** A call with its other fields. */
export function restoredCall(call: { id: string; function: Loose }, kept: Kept | undefined): Loose {
  const more = kept !== undefined && Object.hasOwn(kept.calls, call.id) ? (kept.calls[call.id] ?? {}) : {};
  const { function: ofFunction, ...rest } = more;
  return {
    ...rest,
    ...call,
    type: "function",
    function: { ...(isObject(ofFunction) ? ofFunction : {}), ...call.function },
  };
}

function moreOf(call: Loose): Loose {
  const { id: _, type: __, function: called, ...more } = call;
  const { name: ___, arguments: ____, ...ofFunction } = isObject(called) ? called : {};
  return Object.keys(ofFunction).length === 0 ? more : { ...more, function: ofFunction };
}

function objectsOf(record: Loose): { [id: string]: Loose } {
  return Object.fromEntries(
    Object.entries(record).filter((entry): entry is [string, Loose] => isObject(entry[1])),
  );
}

function isEmpty(value: unknown): boolean {
  return (
    value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0)
  );
}
