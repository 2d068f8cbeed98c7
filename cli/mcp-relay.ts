// Messages of a client on standard input, passed on to a gateway of a server, and what comes back.
import { isObject, type Json, parseJson } from "../src/base";
import { toRuntimeError } from "../src/errors";
import { errorReply, RpcError, namedVersion } from "../src/mcp";
import type { Server } from "./client/http";
import type { Answerer } from "./mcp-lines";

const ACCEPT = "application/json, text/event-stream";
const FAILED = -32000;

/** What the first family keeps between messages. */
interface Kept {
  session?: string;
  version?: string;
}

export function relayTo(server: Server, slug: string, userId: string): Answerer {
  const path = `/mcp/${encodeURIComponent(slug)}`;
  // Headers are bytes; these are UTF-8, as the server reads them.
  const user = Buffer.from(userId).toString("latin1");
  const kept: Kept = {};
  return async (value, write, line) => {
    const id = isObject(value) ? value["id"] : undefined;
    const asked = typeof id === "string" || typeof id === "number" ? id : undefined;
    try {
      const headers = { accept: ACCEPT, "x-user-id": user, ...headersOf(value, kept) };
      const response = await server.open(path, line, headers);
      for await (const text of messagesOf(response)) {
        const message = messageIn(text);
        if (message === undefined) throw new Error(refusalIn(text, response.status));
        remember(kept, value, response, message);
        write(text);
      }
    } catch (error) {
      // Who asked for no answer gets none.
      if (asked === undefined) return;
      const reason = error instanceof Error ? error.message : toRuntimeError(error).message;
      write(errorReply(asked, new RpcError(FAILED, reason)).text ?? "");
    }
  };
}

/** The second family repeats in headers what a request says; the first names its session. */
function headersOf(value: Json, { session, version }: Kept): Record<string, string> {
  if (!isObject(value)) return {};
  const params = isObject(value["params"]) ? value["params"] : {};
  const named = namedVersion(params as { [key: string]: Json });
  if (named === undefined || typeof value["method"] !== "string") {
    return {
      ...(session === undefined ? {} : { "mcp-session-id": session }),
      ...(version === undefined ? {} : { "mcp-protocol-version": version }),
    };
  }
  const name = params["name"];
  return {
    "mcp-protocol-version": named,
    "mcp-method": value["method"],
    ...(typeof name === "string" ? { "mcp-name": encoded(name) } : {}),
  };
}

// Letters that no header may hold, or that would be taken for Base64, go as Base64.
function encoded(text: string): string {
  const plain = /^[\x21-\x7E](?:[\x20-\x7E]*[\x21-\x7E])?$/.test(text) && !text.startsWith("=?base64?");
  return plain ? text : `=?base64?${Buffer.from(text).toString("base64")}?=`;
}

async function* messagesOf(response: Response): AsyncGenerator<string> {
  if (response.headers.get("content-type")?.startsWith("text/event-stream") !== true) {
    const text = await response.text();
    if (text !== "") yield text;
    return;
  }
  let rest = "";
  const decoder = new TextDecoder();
  for await (const bytes of response.body ?? []) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.startsWith("data: ")) yield line.slice(6);
  }
}

function messageIn(text: string): { [key: string]: unknown } | undefined {
  try {
    const value = parseJson(text);
    return isObject(value) && value["jsonrpc"] === "2.0" ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What a server says that is no message: our own record of an error, or nothing that we know. */
function refusalIn(text: string, status: number): string {
  try {
    const value = parseJson(text);
    if (isObject(value) && typeof value["message"] === "string") return value["message"];
  } catch {
    // Not ours.
  }
  return `The server answered ${status} without a message.`;
}

function remember(kept: Kept, value: Json, response: Response, message: { [key: string]: unknown }): void {
  if (!isObject(value) || value["method"] !== "initialize") return;
  const session = response.headers.get("mcp-session-id");
  if (session !== null) kept.session = session;
  const result = message["result"];
  if (isObject(result) && typeof result["protocolVersion"] === "string")
    kept.version = result["protocolVersion"];
}
