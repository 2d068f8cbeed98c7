// Content of an assistant message that its server sent as a list: messages of a run have it as text, and the list in the
// field `content_parts`. The server gets the list back.
import { isObject } from "../base";

type Loose = { [field: string]: unknown };

/** The fields for a content. */
export function contentFields(
  content: unknown,
  text: string,
): { content: string; content_parts?: unknown[] } {
  return Array.isArray(content) ? { content: text, content_parts: content } : { content: text };
}

/** The messages as their server sent them; the same list if none has parts. */
export function withParts<T extends Loose>(messages: readonly T[]): readonly T[] {
  return messages.some(hasParts)
    ? messages.map((message) => (hasParts(message) ? restored(message) : message))
    : messages;
}

function hasParts(message: unknown): boolean {
  return isObject(message) && Array.isArray(message["content_parts"]);
}

function restored<T extends Loose>(message: T): T {
  const { content_parts: content, ...rest } = message;
  // The content of a message may be a list.
  return { ...rest, content } as unknown as T;
}
