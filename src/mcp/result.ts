// Converts the result of a run to MCP: text for the model, structured content for programs, and errors as text.
import { compileOnce, isObject, type JsonObject, type Log } from "../base";
import { fitsForeign } from "../schemas";
import { type Execution, outputSchemaOf, type Tool } from "../tools";
import { contentIn } from "./upstream/content";
import { listedOutput } from "./upstream/listed-tool";

export interface ResultOptions {
  /** Revision 2026-07-28: structured content may be any JSON value. */
  modern: boolean;
  maxBytes: number;
  log: Log;
}

/** A `CallToolResult`: its fields as JSON without the outer braces, and the members of `_meta`. */
export interface ResultFields {
  fields: string;
  meta?: JsonObject;
}

export function callResult({ output = {} }: Execution, tool: Tool, options: ResultOptions): ResultFields {
  if (output.error !== undefined) return failure(output.error);
  return success(output.value, tool, options);
}

/** An error result with a text for model and user. */
export function errorText(text: string): ResultFields {
  return { fields: `"content":[{"type":"text","text":${JSON.stringify(text)}}],"isError":true` };
}

/** The result for a failed run. */
export function failure(error: NonNullable<NonNullable<Execution["output"]>["error"]>): ResultFields {
  const { message, kind, can_retry, additional_prompt_content: hint, retry_after_ms, status_code } = error;
  const error_details = {
    kind,
    can_retry,
    ...(retry_after_ms === undefined ? {} : { retry_after_ms }),
    ...(status_code === undefined ? {} : { status_code }),
  };
  const text = hint === undefined ? message : `${message}\n${hint}`;
  return { ...errorText(text), meta: { error: error_details } };
}

function success(value: unknown, tool: Tool, options: ResultOptions): ResultFields {
  const text = JSON.stringify(value) ?? "null";
  if (Buffer.byteLength(text) > options.maxBytes) return cutResult(value, tool, options);
  const content = tool.catalog.worker?.type === "mcp" ? contentIn(value) : undefined;
  if (content !== undefined) return { fields: contentFields(content, tool, options) };
  return { fields: fields(value, text, tool, options) };
}

/** The content of an MCP server's result, after hooks have judged or replaced it. */
function contentFields(content: readonly JsonObject[], tool: Tool, { modern }: ResultOptions): string {
  const fields = `"content":${JSON.stringify(content)}`;
  return promisedOutput(tool, modern) === undefined ? fields : `${fields},"isError":true`;
}

/** The output schema that the client has been told. */
function promisedOutput({ definition }: Tool, modern: boolean): object | undefined {
  if (definition.original !== undefined) return listedOutput(definition, modern);
  return outputSchemaOf(definition.output);
}

function fields(value: unknown, text: string, tool: Tool, { modern, log }: ResultOptions, note = ""): string {
  // The model gets a string as it is, not as JSON of it.
  const content = `"content":[{"type":"text","text":${typeof value === "string" ? text : JSON.stringify(text)}}${note}]`;
  const schema = promisedOutput(tool, modern);
  if (schema !== undefined && !fits(tool, value)) {
    // Clients refuse results that do not match the output schema. As an error, the model still gets the text.
    log.warn("a result does not match the output schema of its tool", { tool: tool.qualifiedName });
    return `${content},"isError":true`;
  }
  const structured = isObject(value) || (modern && value !== undefined);
  return structured ? `${content},"structuredContent":${text}` : content;
}

function fits({ definition: { output, foreign } }: Tool, value: unknown): boolean {
  return foreign === true ? fitsForeign(output, value) : compileOnce(output).Check(value);
}

export function cutResult(value: unknown, tool: Tool, options: ResultOptions): ResultFields {
  const { maxBytes } = options;
  const cut = cutTo(value, maxBytes);
  if (cut === undefined) {
    return errorText(
      `The result is larger than ${maxBytes} bytes and cannot be cut. Request less: a smaller range, fewer fields or a limit.`,
    );
  }
  const hint = `The result is larger than ${maxBytes} bytes: lists and texts in it were cut. Request less to get all of it.`;
  const note = `,{"type":"text","text":${JSON.stringify(hint)}}`;
  return {
    fields: fields(cut, JSON.stringify(cut), tool, options, note),
    meta: { truncated: true, max_bytes: maxBytes },
  };
}

/** The limits are powers of two: of items of a list, and letters of a text. The largest are far above what fits. */
const LARGEST = 12;
const LETTERS_FOR_EACH = 16;

/** A copy with shorter lists and texts, of at most `maxBytes` as JSON; undefined if it would still be too long. */
export function cutTo(value: unknown, maxBytes: number): unknown {
  if (leastBytes(value, maxBytes) > maxBytes) return undefined;
  let best: unknown;
  // A larger limit makes a larger copy.
  for (let [low, high] = [0, LARGEST]; low <= high;) {
    const power = (low + high) >> 1;
    const cut = shortened(value, 2 ** power, 2 ** power * LETTERS_FOR_EACH);
    const fits = Buffer.byteLength(JSON.stringify(cut)) <= maxBytes;
    if (fits) [best, low] = [cut, power + 1];
    else high = power - 1;
  }
  return best;
}

/** Fewer bytes than any copy has: keys are never cut. It stops counting above `most`. */
function leastBytes(value: unknown, most: number): number {
  if (Array.isArray(value)) return 2 + (value.length === 0 ? 0 : leastBytes(value[0], most));
  if (!isObject(value)) return 1;
  let bytes = 2;
  for (const key in value) {
    bytes += key.length + 3 + leastBytes(value[key], most - bytes);
    if (bytes > most) break;
  }
  return bytes;
}

function shortened(value: unknown, items: number, letters: number): unknown {
  if (typeof value === "string") return value.length <= letters ? value : whole(value.slice(0, letters));
  if (Array.isArray(value)) {
    return value.slice(0, items).map((item: unknown) => shortened(item, items, letters));
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, shortened(inner, items, letters)]),
  );
}

// Removes half of a surrogate pair at the end.
function whole(text: string): string {
  return text.isWellFormed() ? text : text.replace(/[\uD800-\uDBFF]$/, "");
}
