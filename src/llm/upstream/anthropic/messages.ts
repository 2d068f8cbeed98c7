// Converts conversations of chat completions to the messages protocol: separate instructions, alternating turns of user
// and assistant, and tool results first in the turn after their calls.
import { isObject, parseJson } from "../../../base";
import { invalidParameter } from "../../../errors";
import type { ChatMessage, Loose } from "../client";
import { givenBack } from "./blocks";
import { contentBlocks, systemText } from "./content";

export interface AnthropicTurn {
  role: "user" | "assistant";
  content: Loose[];
}

export interface Translated {
  system: string | undefined;
  messages: AnthropicTurn[];
}

/** Throws `invalid_parameter` that names what the messages protocol does not support. */
export function translated(messages: readonly ChatMessage[]): Translated {
  const system: string[] = [];
  const turns: AnthropicTurn[] = [];
  const ids = new Ids();
  for (const [index, message] of messages.entries()) {
    const place = `messages.${index}`;
    if (message.role === "system" || message.role === "developer") {
      // All instructions go to the same field, regardless of their position.
      system.push(systemText(message.content, place));
    } else if (message.role === "assistant") {
      const [texts, calls] = [contentBlocks(message.content, place), callsOf(message, ids, place)];
      add(turns, "assistant", givenBack(message["content_blocks"], texts, calls) ?? [...texts, ...calls]);
    } else if (message.role === "tool") {
      add(turns, "user", [resultOf(message, ids, place)]);
    } else {
      add(turns, "user", contentBlocks(message.content, place));
    }
  }
  const text = system.filter((one) => one.trim() !== "").join("\n\n");
  if (turns.length === 0) throw invalidParameter("messages: there is nothing to answer. Add a user message.");
  return { system: text === "" ? undefined : text, messages: turns };
}

// Consecutive messages of the same role are one turn. Tool results come first in it.
function add(turns: AnthropicTurn[], role: AnthropicTurn["role"], blocks: readonly Loose[]): void {
  if (blocks.length === 0) return;
  const last = turns.at(-1);
  if (last?.role !== role) {
    turns.push({ role, content: [...blocks] });
    return;
  }
  const all = [...last.content, ...blocks];
  const isResult = ({ type }: Loose): boolean => type === "tool_result";
  last.content = role === "user" ? [...all.filter(isResult), ...all.filter((one) => !isResult(one))] : all;
}

function callsOf({ tool_calls: calls }: ChatMessage, ids: Ids, place: string): Loose[] {
  if (!Array.isArray(calls)) return [];
  return calls.filter(isObject).map((call, index) => {
    const { id, function: called } = call;
    const { name, arguments: text } = isObject(called) ? called : {};
    if (typeof name !== "string" || name === "") {
      throw invalidParameter(`${place}.tool_calls.${index}.function.name is required.`);
    }
    return { type: "tool_use", id: ids.of(id), name, input: inputOf(text, `${place}.tool_calls.${index}`) };
  });
}

function inputOf(text: unknown, place: string): Loose {
  if (text === undefined || text === null || text === "") return {};
  try {
    const value = typeof text === "string" ? parseJson(text) : text;
    if (isObject(value)) return value;
  } catch {
    // Reported below.
  }
  throw invalidParameter(`${place}.function.arguments is not the JSON text of an object.`);
}

function resultOf({ tool_call_id: id, content }: ChatMessage, ids: Ids, place: string): Loose {
  if (typeof id !== "string" || id === "") throw invalidParameter(`${place}.tool_call_id is required.`);
  const blocks = contentBlocks(content, place);
  return {
    type: "tool_result",
    tool_use_id: ids.of(id),
    ...(blocks.length === 0 ? {} : { content: blocks }),
  };
}

/** Converts ids of calls to the characters that the messages protocol accepts; equal ids stay equal. */
class Ids {
  readonly #given = new Map<unknown, string>();
  readonly #taken = new Set<string>();

  of(id: unknown): string {
    const known = this.#given.get(id);
    if (known !== undefined) return known;
    const plain = typeof id === "string" && id !== "" ? id.replaceAll(/[^A-Za-z0-9_-]/g, "_") : "call";
    let free = plain;
    for (let count = 2; this.#taken.has(free); count++) free = `${plain}_${count}`;
    this.#taken.add(free);
    this.#given.set(id, free);
    return free;
  }
}
