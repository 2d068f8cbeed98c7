// The result of an MCP server's tool for clients of a gateway: the same as for the server's own clients, within the limits of
// this server and of the client's revision.
import { isObject, type Json, type JsonObject } from "../../base";
import { fitsForeign } from "../../schemas";
import type { Tool } from "../../tools";
import { cutResult, errorText, type ResultFields, type ResultOptions } from "../result";
import { listedOutput } from "./listed-tool";
import { passedMeta } from "./meta";

/** How the content of a result is shown at a gateway. */
export type Shown = (items: JsonObject[]) => JsonObject[];

/** `shown` adapts the content to the client. */
export function passedResult(
  result: JsonObject,
  tool: Tool,
  options: ResultOptions,
  shown: Shown,
): ResultFields {
  const { content: given, structuredContent, isError, _meta: sent, resultType: _type, ...rest } = result;
  const { maxBytes, modern } = options;
  const meta = passedMeta(sent);
  const failed = isError === true;
  const keeps = keepsPromise(tool, structuredContent, failed, options);
  const structured = keeps && structuredContent !== undefined && (modern || isObject(structuredContent));
  const content = contentFor(shown(itemsOf(given)), structuredContent, structured);
  const fields = JSON.stringify({
    ...rest,
    content,
    ...(structured ? { structuredContent } : {}),
    // Clients refuse a result that breaks the schema. As an error, the model still gets its content.
    ...(keeps ? (isError === undefined ? {} : { isError: failed }) : { isError: true }),
  }).slice(1, -1);
  const answer = { fields, ...(meta === undefined ? {} : { meta }) };
  const bytes =
    Buffer.byteLength(fields) + (meta === undefined ? 0 : Buffer.byteLength(JSON.stringify(meta)));
  return bytes <= maxBytes ? answer : larger(content, structuredContent, failed || !keeps, tool, options);
}

export function itemsOf(content: unknown): JsonObject[] {
  return Array.isArray(content) ? content.filter((item): item is JsonObject => isObject(item)) : [];
}

/** Whether the structured content is what the listed output schema promises. A failure promises nothing. */
function keepsPromise(
  { definition, qualifiedName: tool }: Tool,
  structured: Json | undefined,
  failed: boolean,
  { modern, log }: ResultOptions,
): boolean {
  if (listedOutput(definition, modern) === undefined) return true;
  if (structured === undefined ? failed : fitsForeign(definition.output, structured)) return true;
  log.warn("a result does not match the output schema of its tool", { tool });
  return false;
}

/** Structured content that the client does not get is shown as text where nothing else is there. */
function contentFor(items: JsonObject[], structured: Json | undefined, isPassed: boolean): JsonObject[] {
  if (items.length > 0 || structured === undefined || isPassed) return items;
  return [{ type: "text", text: JSON.stringify(structured) }];
}

/** Cut by the rules for all tools where that leaves a result of the same form. */
function larger(
  content: JsonObject[],
  structured: Json | undefined,
  failed: boolean,
  tool: Tool,
  options: ResultOptions,
): ResultFields {
  const texts = content.map(({ type, text }) =>
    type === "text" && typeof text === "string" ? text : undefined,
  );
  const isText = texts.every((text) => text !== undefined);
  if (failed)
    return isText ? errorText(firstOf(texts.join("\n"), options.maxBytes)) : errorText(tooLarge(options));
  if (structured !== undefined) return cutResult(structured, tool, options);
  return isText ? cutResult(texts.join("\n"), tool, options) : errorText(tooLarge(options));
}

function firstOf(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text).subarray(0, Math.floor(maxBytes / 2));
  return `${bytes.toString("utf8").replace(/\uFFFD{1,3}$/, "")}…`;
}

function tooLarge({ maxBytes }: ResultOptions): string {
  return `The result is larger than ${maxBytes} bytes (mcp.max_result_bytes) and has content that cannot be cut. Request less: a smaller range, fewer fields or a limit.`;
}
