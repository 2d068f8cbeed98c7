// Server-sent events as chat completions write them.
import type { RuntimeError } from "../../errors";

export const DONE = "data: [DONE]\n\n";

export function event(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** Chunks as texts, with `[DONE]` at their end. Usage comes only where it was asked for. */
export async function* chunkTexts(
  chunks: AsyncGenerator<{ [field: string]: unknown }, void>,
  includeUsage: boolean,
): AsyncGenerator<string, void> {
  for await (const chunk of chunks) {
    if (includeUsage || chunk["usage"] === undefined) yield event(chunk);
  }
  yield DONE;
}

/** The last event of a stream that failed. No `[DONE]` follows: nothing must take it for complete. */
export function errorEvent(error: RuntimeError): string {
  return event({ error: errorBody(error) });
}

/** An error in the form that clients of chat completions read. */
export function errorBody({ name, message }: RuntimeError): { message: string; type: string; code: string } {
  return { message, type: name, code: name };
}
