// Everything that the server under load calls, except for the chat platform: a webhook, a model, an MCP server and an HTTP
// worker on one address. It keeps nothing, so that it can run for hours.
import { isObject } from "../../src/base";
import { mcpAnswer } from "../acceptance/stage";
import { answered, definition } from "../workers/http/stand-in";

export interface Upstreams extends AsyncDisposable {
  readonly url: string;
  /** Number of requests by their first word. */
  readonly counts: Record<string, number>;
}

export function startUpstreams(): Upstreams {
  const counts: Record<string, number> = {};
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    development: false,
    idleTimeout: 60,
    fetch: async (request) => {
      const path = new URL(request.url).pathname;
      const [, first = ""] = path.split("/");
      counts[first] = (counts[first] ?? 0) + 1;
      if (first === "hook") return Response.json({ code: "OK" });
      if (first === "mcp") return mcpAnswer(await request.text());
      if (first === "model") return modelAnswer(await request.json());
      return workerAnswer(path, await request.text());
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    counts,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

const PARAMETER = {
  name: "text",
  required: true,
  description: "Is returned.",
  value_schema: { val_type: "string" },
  inferrable: true,
};

function workerAnswer(path: string, body: string): Response {
  if (path.endsWith("/health")) return Response.json({ status: "ok", tool_count: "1" });
  if (path.endsWith("/tools")) {
    const input = { parameters: [PARAMETER] };
    const output = {
      description: null,
      available_modes: ["value", "error"],
      value_schema: { val_type: "string" },
    };
    return Response.json([definition({ input, output })]);
  }
  return answered({ path, authorization: null, body }, { value: "x".repeat(2000) });
}

/** A model that calls the first tool of a request once, and then says so. */
function modelAnswer(request: unknown): Response {
  const { model, stream, tools, messages } = Object(request);
  const name: unknown = tools?.[0]?.function?.name;
  const calls = name !== undefined && messages.at(-1)?.role !== "tool";
  const said = calls
    ? { role: "assistant", content: null, tool_calls: [callOf(String(name))] }
    : { role: "assistant", content: "Done. ".repeat(50) };
  const finish = calls ? "tool_calls" : "stop";
  const head = { id: "c1", created: 1_700_000_000, model };
  if (stream !== true) {
    const choices = [{ index: 0, message: said, finish_reason: finish }];
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
    return Response.json({ ...head, object: "chat.completion", choices, usage });
  }
  const chunk = (delta: object, finish_reason: string | null): string => {
    const choices = [{ index: 0, delta, finish_reason }];
    return `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices })}\n\n`;
  };
  const delta = calls ? { ...said, tool_calls: [{ index: 0, ...callOf(String(name)) }] } : said;
  return new Response(`${chunk(delta, null)}${chunk({}, finish)}data: [DONE]\n\n`, {
    headers: { "content-type": "text/event-stream" },
  });
}

function callOf(name: string): object {
  const input = { channel_name: "general", message: "From a model" };
  return { id: "call_1", type: "function", function: { name, arguments: JSON.stringify(input) } };
}

/** The text of an answer that must be an object. */
export function textAt(value: unknown, name: string): string {
  return isObject(value) ? String(value[name] ?? "") : "";
}
