// Results of MCP servers: clients of gateways get them as they are, everybody else in a form of JSON.
import { isObject, type Json, type JsonObject, parseJson } from "../../base";
import { Carried, fatal, ToolError, type ToolContext } from "../../tools";
import { fitsForeign } from "../../schemas";
import type { LoadedWorker, WorkerTool } from "../tool";

export interface ResultOptions {
  worker: LoadedWorker;
  tool: WorkerTool;
  context: Pick<ToolContext, "log">;
  /** Bytes of an image or another binary part that are shown. */
  maxBytes: number;
}

/** Members of one connection or one request, in `_meta`. */
const OF_CONNECTION = [
  "protocolVersion",
  "clientInfo",
  "clientCapabilities",
  "serverInfo",
  "subscriptionId",
  "logLevel",
].map((name) => `io.modelcontextprotocol/${name}`);

/** The result without what belongs to the connection to the server. */
export function originalOf(whole: JsonObject): JsonObject {
  const { resultType: _, ...result } = whole;
  const meta = result["_meta"];
  if (!isObject(meta)) return result;
  const kept = Object.fromEntries(Object.entries(meta).filter(([key]) => !OF_CONNECTION.includes(key)));
  if (Object.keys(kept).length === Object.keys(meta).length) return result;
  const { _meta: _all, ...rest } = result;
  // Entries of JSON.
  return Object.keys(kept).length === 0 ? rest : { ...rest, _meta: kept as JsonObject };
}

/** The output of a tool's result. Throws `ToolError` for a failure of the tool. */
export function outputOf(result: JsonObject, options: ResultOptions): Carried {
  const original = originalOf(result);
  const content = contentOf(result);
  if (result["isError"] === true) {
    throw fatal(failureText(content), { canRetry: false, answered: { result: original } });
  }
  const { structuredContent } = result;
  const breaks = options.tool.output !== undefined && !isValid(options.tool.output, structuredContent);
  if (breaks) reportBreak(options, original);
  const value = structuredContent === undefined ? plainValue(content, options.maxBytes) : structuredContent;
  return new Carried(value, original);
}

function contentOf({ content }: JsonObject): JsonObject[] {
  return Array.isArray(content) ? content.filter((item): item is JsonObject => isObject(item)) : [];
}

function isValid(schema: JsonObject, value: unknown): boolean {
  // It was checked when the catalog was read.
  return value !== undefined && fitsForeign(schema, value);
}

/** A tool has done its work, whatever its schema says. So the result is lost only where the record asks for that. */
function reportBreak({ worker, tool, context }: ResultOptions, original: JsonObject): void {
  const problem = `The result of ${tool.upstream} does not match its output schema.`;
  if (worker.strictResults) {
    throw new ToolError("TOOL_RUNTIME_BAD_OUTPUT_VALUE", false, problem, {
      statusCode: 502,
      advice: "The tool has run. An administrator can allow such results: strict_results of the worker.",
      answered: { result: { ...original, isError: true } },
    });
  }
  context.log("warning", problem);
}

const LONGEST_FAILURE = 10_000;

function failureText(content: readonly JsonObject[]): string {
  const text = content
    .flatMap(({ type, text: part }) => (type === "text" && typeof part === "string" ? [part] : []))
    .join("\n");
  if (text.trim() === "") return "The tool reports a failure and no reason.";
  return text.length > LONGEST_FAILURE ? `${text.slice(0, LONGEST_FAILURE).toWellFormed()}…` : text;
}

/** One text is the value, as JSON if it is an object or a list; everything else is a list of parts. */
function plainValue(content: readonly JsonObject[], maxBytes: number): Json {
  const [first, ...more] = content;
  if (
    first !== undefined &&
    more.length === 0 &&
    first["type"] === "text" &&
    typeof first["text"] === "string"
  )
    return textValue(first["text"]);
  return { content: content.map((item) => plainItem(item, maxBytes)) };
}

function textValue(text: string): Json {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

/** A part without what is for clients of gateways, and without data that is too large to be shown. */
function plainItem(item: JsonObject, maxBytes: number): JsonObject {
  const { _meta: _, annotations: _hints, ...rest } = item;
  const resource = rest["resource"];
  if (isObject(resource)) {
    return { ...rest, resource: shortened(withoutMeta(resource as JsonObject), "blob", maxBytes) };
  }
  return shortened(rest, "data", maxBytes);
}

function withoutMeta(item: JsonObject): JsonObject {
  const { _meta: _, ...rest } = item;
  return rest;
}

function shortened(item: JsonObject, member: string, maxBytes: number): JsonObject {
  const { [member]: data, ...rest } = item;
  if (typeof data !== "string" || data.length <= maxBytes) return item;
  return {
    ...rest,
    omitted: `${data.length} characters of Base64: more than mcp.max_result_bytes (${maxBytes})`,
  };
}

/** The output of `resources/read`: its contents. */
export function resourceOutput(result: JsonObject, maxBytes: number): Carried {
  const { contents } = result;
  const items = Array.isArray(contents) ? contents.filter((item): item is JsonObject => isObject(item)) : [];
  const plain = items.map((item) => shortened(withoutMeta(item), "blob", maxBytes));
  return new Carried({ contents: plain }, originalOf(result));
}

/** The output of `prompts/get`: its messages. */
export function promptOutput(result: JsonObject, maxBytes: number): Carried {
  const { description, messages } = result;
  const items = Array.isArray(messages) ? messages.filter((item): item is JsonObject => isObject(item)) : [];
  const plain = items.map(({ role = null, content }) => ({
    role,
    content: isObject(content) ? plainItem(content as JsonObject, maxBytes) : (content ?? null),
  }));
  return new Carried(
    { ...(typeof description === "string" ? { description } : {}), messages: plain },
    originalOf(result),
  );
}

/** The output of `completion/complete`: the values. */
export function completionOutput(result: JsonObject): Carried {
  return new Carried({ completion: result["completion"] ?? null }, originalOf(result));
}
