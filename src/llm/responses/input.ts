// The input items of a request as messages of chat completions. The items of one turn of the model (reasoning, text,
// calls) are one message there.
import { isObject } from "../../base";
import { invalidParameter } from "../../errors";
import { textOf } from "../loop/turn";
import type { ChatMessage, Loose } from "../upstream/client";
import { type Kept, readKept, restoredCall } from "./kept";
import { joinedName } from "./names";
import { chatContent, type Content, plainText } from "./parts";
import type { ResponsesRequest } from "./schema";

/** Throws `invalid_parameter` that names the item that chat completions do not have. */
export function chatMessages({ instructions, input }: ResponsesRequest): ChatMessage[] {
  const items = typeof input === "string" ? [{ role: "user", content: input }] : (input ?? []);
  const conversation = new Conversation();
  if (typeof instructions === "string") conversation.instruct(instructions);
  for (const [index, item] of items.entries()) conversation.add(item, `input.${index}`);
  const messages = conversation.end();
  if (messages.some(({ role }) => role !== "system")) return messages;
  throw invalidParameter("input is required: there is nothing to answer. Add a user message.");
}

/** A turn of the model whose items are being collected. */
interface OpenTurn {
  texts: Content[];
  kept: Kept | undefined;
  calls: { id: string; function: Loose }[];
  /** Answers to calls that were run by a server. */
  answers: ChatMessage[];
}

class Conversation {
  readonly #messages: ChatMessage[] = [];
  #turn: OpenTurn | undefined;

  /** Instructions at the beginning are one message: many servers accept no more. */
  instruct(text: string): void {
    this.#endTurn();
    const [first] = this.#messages;
    if (this.#messages.length === 1 && first?.role === "system") {
      first.content = `${String(first.content)}\n\n${text}`;
    } else if (text.trim() !== "") this.#messages.push({ role: "system", content: text });
  }

  add(item: Loose, place: string): void {
    const { type = "message" } = item;
    const isAnswered = (this.#turn?.answers.length ?? 0) > 0;
    if (isAnswered && type !== "mcp_call") this.#endTurn();
    if (type === "message") this.#addMessage(item, place);
    else if (type === "reasoning") this.#addReasoning(item);
    else if (type === "function_call") this.#addCall(item["call_id"], item, place, "call_id");
    else if (type === "function_call_output") this.#addOutput(item, place);
    else if (type === "mcp_call") this.#addRun(item, place);
    else {
      throw invalidParameter(
        `${place}: items of this type are not supported by this model. Use message, function_call, function_call_output and reasoning.`,
      );
    }
  }

  end(): ChatMessage[] {
    this.#endTurn();
    return this.#messages;
  }

  #addMessage({ role, content }: Loose, place: string): void {
    if (role === "assistant") {
      this.#open().texts.push(chatContent(content, `${place}.content`));
    } else if (role === "system" || role === "developer") {
      this.instruct(plainText(content, `${place}.content`));
    } else if (role === "user") {
      this.#endTurn();
      this.#messages.push({ role, content: chatContent(content, `${place}.content`) });
    } else throw invalidParameter(`${place}.role must be user, assistant, system or developer.`);
  }

  #addReasoning({ encrypted_content: content }: Loose): void {
    const kept = readKept(content);
    // Only the server that it comes from can use it.
    if (kept === undefined) return;
    if (this.#turn?.kept !== undefined) this.#endTurn();
    this.#open().kept = kept;
  }

  #addCall(id: unknown, { namespace, name, arguments: text }: Loose, place: string, field: string): string {
    if (typeof id !== "string" || id === "") throw invalidParameter(`${place}.${field} is required.`);
    if (typeof name !== "string" || name === "") throw invalidParameter(`${place}.name is required.`);
    const { calls } = this.#open();
    const given = typeof text === "string" && text.trim() !== "" ? text : "{}";
    calls.push({ id, function: { name: joinedName(namespace, name), arguments: given } });
    return id;
  }

  /** A call that a server ran, with its output. */
  #addRun(item: Loose, place: string): void {
    const { id, output, error } = item;
    const called = this.#addCall(id, item, place, "id");
    const content = typeof output === "string" ? output : JSON.stringify(error ?? null);
    this.#open().answers.push({ role: "tool", tool_call_id: called, content });
  }

  #addOutput({ call_id: id, output }: Loose, place: string): void {
    this.#endTurn();
    if (typeof id !== "string" || id === "") throw invalidParameter(`${place}.call_id is required.`);
    this.#messages.push({
      role: "tool",
      tool_call_id: id,
      content: outputContent(output, `${place}.output`),
    });
  }

  #open(): OpenTurn {
    return (this.#turn ??= { texts: [], kept: undefined, calls: [], answers: [] });
  }

  #endTurn(): void {
    if (this.#turn === undefined) return;
    const { answers } = this.#turn;
    const message = messageOf(this.#turn);
    this.#turn = undefined;
    if (message !== undefined) this.#messages.push(message, ...answers);
  }
}

function messageOf({ texts, kept, calls }: OpenTurn): ChatMessage | undefined {
  const content = joined(texts);
  if (content.length === 0 && calls.length === 0 && kept === undefined) return undefined;
  const { content_parts: parts, ...fields } = kept?.message ?? {};
  const isSame = Array.isArray(parts) && textOf(parts) === textOf(content);
  return {
    ...fields,
    role: "assistant",
    content,
    ...(isSame ? { content_parts: parts } : {}),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map((call) => restoredCall(call, kept)) }),
  };
}

function joined(texts: readonly Content[]): Content {
  const plain = texts.filter((text): text is string => typeof text === "string");
  if (plain.length === texts.length) return plain.filter((text) => text !== "").join("\n\n");
  return texts.flatMap((text) => (typeof text === "string" ? [{ type: "text", text }] : text));
}

/** Servers take text; a list of parts only if it is needed. */
function outputContent(output: unknown, place: string): Content {
  if (isObject(output)) return JSON.stringify(output);
  const content = chatContent(output, place);
  if (typeof content === "string") return content;
  const isText = content.every(({ type }) => type === "text");
  return isText ? content.map((part) => textOf([part])).join("\n") : content;
}
