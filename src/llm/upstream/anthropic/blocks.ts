// The content of a message of the messages protocol, for servers that want it back: thinking with its signature, and
// blocks that chat completions do not have. It travels in the field `content_blocks` of an assistant message.
import { isObject } from "../../../base";
import type { Loose } from "../client";

const PLAIN: Readonly<Record<string, readonly string[]>> = {
  text: ["type", "text"],
  tool_use: ["type", "id", "name", "input"],
};

/**
 * The fields of an assistant message for its blocks: none if text and calls say everything, else the blocks, and the
 * thinking as text for readers.
 */
export function blockFields(blocks: readonly Loose[]): Loose {
  if (blocks.every(isPlain)) return {};
  return { content_blocks: blocks.map((block, index) => ({ ...block, index })) };
}

/** The thinking of a message as text. */
export function thinkingOf(blocks: readonly Loose[]): string {
  return blocks
    .map(({ type, thinking }) => (type === "thinking" && typeof thinking === "string" ? thinking : ""))
    .join("");
}

/**
 * The blocks of a message that came from such a server, for sending them back: all as they were, but with the text and the
 * calls that the message has now. Undefined for a message without blocks.
 */
export function givenBack(
  given: unknown,
  texts: readonly Loose[],
  calls: readonly Loose[],
): Loose[] | undefined {
  if (!Array.isArray(given) || given.length === 0) return undefined;
  const blocks = given.filter(isObject).map(withoutIndex);
  const textOf = (all: readonly Loose[]): string =>
    all.map(({ type, text }) => (type === "text" ? String(text ?? "") : "")).join("");
  const isSameText = textOf(blocks) === textOf(texts);
  const kept = blocks.filter(({ type, text, id }) => {
    if (type === "text") return isSameText && String(text ?? "").trim() !== "";
    return type !== "tool_use" || calls.some((call) => call["id"] === id);
  });
  const firstCall = kept.findIndex(({ type }) => type === "tool_use");
  const more = calls.filter(
    ({ id }) => !kept.some((block) => block["type"] === "tool_use" && block["id"] === id),
  );
  if (isSameText) return [...kept, ...more];
  const at = firstCall < 0 ? kept.length : firstCall;
  return [...kept.slice(0, at), ...texts, ...kept.slice(at), ...more];
}

function withoutIndex(block: Loose): Loose {
  const sent = { ...block };
  delete sent["index"];
  return sent;
}

function isPlain(block: Loose): boolean {
  const fields = PLAIN[String(block["type"])];
  return (
    fields !== undefined &&
    Object.entries(block).every(
      ([field, value]) => fields.includes(field) || value === null || value === undefined,
    )
  );
}
