// Server-sent events in the form of chat completions.
import type { RuntimeError } from "../../errors";

export const DONE = "data: [DONE]\n\n";

export function event(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** Chunks as text, with `[DONE]` at the end. Usage is sent only if it was requested. */
export async function* chunkTexts(
  chunks: AsyncGenerator<{ [field: string]: unknown }, void>,
  includeUsage: boolean,
): AsyncGenerator<string, void> {
  for await (const chunk of chunks) {
    if (includeUsage || chunk["usage"] === undefined) yield event(chunk);
  }
  yield DONE;
}

/** The last event of a failed stream. No `[DONE]` follows, so that clients do not treat it as complete. */
export function errorEvent(error: RuntimeError): string {
  return event({ error: errorBody(error) });
}

/** An error in the form of chat completions. */
export function errorBody({ name, message }: RuntimeError): { message: string; type: string; code: string } {
  return { message, type: name, code: name };
}
