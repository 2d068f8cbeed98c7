// A run as MCP shows it: text for the model, structured content for the program, errors that the model can read.
import { compileOnce, isObject, type JsonObject, type Log } from "../base";
import type { Execution, Tool } from "../tools";
import { cutTo } from "./cut";
import { outputSchemaOf } from "./offer";

export interface ResultOptions {
  /** Second family: any JSON value may stand as structured content. */
  modern: boolean;
  maxBytes: number;
  log: Log;
}

/** A `CallToolResult`: its fields as text of JSON without the braces, and apart from them what goes into `_meta`. */
export interface ResultFields {
  fields: string;
  meta?: JsonObject;
}

export function callResult({ output = {} }: Execution, tool: Tool, options: ResultOptions): ResultFields {
  if (output.error !== undefined) return failure(output.error);
  return success(output.value, tool, options);
}

/** A result that says to model and user what is in the way. */
export function errorText(text: string): ResultFields {
  return { fields: `"content":[{"type":"text","text":${JSON.stringify(text)}}],"isError":true` };
}

function failure(error: NonNullable<NonNullable<Execution["output"]>["error"]>): ResultFields {
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
  return { fields: fields(value, text, tool, options) };
}

function fields(value: unknown, text: string, tool: Tool, { modern, log }: ResultOptions, note = ""): string {
  // Text is for the model: a text stands as it is, not as JSON of it.
  const content = `"content":[{"type":"text","text":${typeof value === "string" ? text : JSON.stringify(text)}}${note}]`;
  const schema = outputSchemaOf(tool.definition.output);
  if (schema !== undefined && !compileOnce(tool.definition.output).Check(value)) {
    // Clients refuse results that break the promised form; as an error the model still reads it.
    log.warn("a result is not of the form that its tool promises", { tool: tool.qualifiedName });
    return `${content},"isError":true`;
  }
  const structured = isObject(value) || (modern && value !== undefined);
  return structured ? `${content},"structuredContent":${text}` : content;
}

function cutResult(value: unknown, tool: Tool, options: ResultOptions): ResultFields {
  const { maxBytes } = options;
  const cut = cutTo(value, maxBytes);
  if (cut === undefined) {
    return errorText(
      `The result is larger than ${maxBytes} bytes and cannot be cut. Ask for less: a smaller range, fewer fields or a limit.`,
    );
  }
  const said = `The result is larger than ${maxBytes} bytes: lists and texts in it were cut. Ask for less to get all of it.`;
  const note = `,{"type":"text","text":${JSON.stringify(said)}}`;
  return {
    fields: fields(cut, JSON.stringify(cut), tool, options, note),
    meta: { truncated: true, max_bytes: maxBytes },
  };
}
