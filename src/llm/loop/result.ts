// What a model is told about a call: its output, or why there is none. Always valid JSON or the tool's own text, and
// never more than the limit.
import type { Execution } from "../../tools";

/** The output of a run as text: a text as it is, all else as JSON. */
export function outputText({ output }: Execution): string {
  if (output?.error !== undefined) return output.error.message;
  const value = output?.value;
  return typeof value === "string" ? value : JSON.stringify(value ?? null);
}

/** The content of the tool message of a run. */
export function messageOf(execution: Execution, limit: number): string {
  const error = execution.output?.error;
  if (error === undefined) return cut(outputText(execution), limit);
  const { message, kind, can_retry, additional_prompt_content: hint, retry_after_ms } = error;
  return cut(
    JSON.stringify({
      error: {
        kind,
        message,
        can_retry,
        ...(hint === undefined ? {} : { hint }),
        ...(retry_after_ms === undefined ? {} : { retry_after_ms }),
        ...(error.extra?.["outcome"] === undefined ? {} : { outcome: error.extra["outcome"] }),
      },
    }),
    limit,
  );
}

/** The content of the tool message of a call that was not run. */
export function notRun(kind: string, message: string): string {
  return JSON.stringify({ error: { kind, message, can_retry: false } });
}

/** The text, or JSON that holds as much of its beginning as the limit (in bytes) leaves room for. */
export function cut(text: string, limit: number): string {
  const bytes = Buffer.from(text);
  if (bytes.byteLength <= limit) return text;
  let kept = limit;
  for (;;) {
    const shown = JSON.stringify({
      truncated: true,
      total_bytes: bytes.byteLength,
      note: `The result is larger than ${limit} bytes. This is its beginning; ask for less.`,
      beginning: beginningOf(bytes, kept),
    });
    const size = Buffer.byteLength(shown);
    if (size <= limit || kept === 0) return shown;
    // Quotes and the rest around it take room: what is kept shrinks until all of it fits.
    kept = Math.max(0, Math.min(kept - 1, Math.floor((kept * limit) / size) - 8));
  }
}

/** No half of a character stays at the end. */
function beginningOf(bytes: Buffer, length: number): string {
  return new TextDecoder().decode(bytes.subarray(0, length), { stream: true });
}
