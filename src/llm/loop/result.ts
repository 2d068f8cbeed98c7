// The content of tool messages: the output of a call or its error. Always valid JSON or the tool's own text, and never
// longer than the limit.
import type { Execution } from "../../tools";

/** The output of a run: a text unchanged, anything else as JSON. */
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

/** The text, or JSON with as much of its beginning as fits the limit (in bytes). */
export function cut(text: string, limit: number): string {
  const bytes = Buffer.from(text);
  if (bytes.byteLength <= limit) return text;
  let length = limit;
  for (;;) {
    const shown = JSON.stringify({
      truncated: true,
      total_bytes: bytes.byteLength,
      note: `The result is larger than ${limit} bytes. This is its beginning. Request less.`,
      beginning: beginningOf(bytes, length),
    });
    const size = Buffer.byteLength(shown);
    if (size <= limit || length === 0) return shown;
    // Escapes and the other fields need space: shortens the text until everything fits.
    length = Math.max(0, Math.min(length - 1, Math.floor((length * limit) / size) - 8));
  }
}

/** Does not end in the middle of a character. */
function beginningOf(bytes: Buffer, length: number): string {
  return new TextDecoder().decode(bytes.subarray(0, length), { stream: true });
}
