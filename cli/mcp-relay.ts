// Relays messages between a client on standard input and a gateway of a server.
import { isObject, type Json, parseJson } from "../src/base";
import { toRuntimeError } from "../src/errors";
import { errorReply, RpcError, namedVersion } from "../src/mcp";
import type { Server } from "./client/http";
import type { Handler } from "./mcp-lines";

const ACCEPT = "application/json, text/event-stream";
const FAILED = -32000;

/** The state of the first protocol family between messages. */
interface Relayed {
  session?: string;
  version?: string;
}

export function relayTo(server: Server, slug: string, userId: string): Handler {
  const path = `/mcp/${encodeURIComponent(slug)}`;
  // The server decodes header bytes as UTF-8.
  const user = Buffer.from(userId).toString("latin1");
  const state: Relayed = {};
  return async (value, write, line) => {
    const id = isObject(value) ? value["id"] : undefined;
    const requestId = typeof id === "string" || typeof id === "number" ? id : undefined;
    try {
      const headers = { accept: ACCEPT, "x-user-id": user, ...headersOf(value, state) };
      const response = await server.open(path, line, headers);
      for await (const text of messagesOf(response)) {
        const message = messageIn(text);
        if (message === undefined) throw new Error(errorIn(text, response.status));
        remember(state, value, response, message);
        write(text);
      }
    } catch (error) {
      // Notifications get no reply.
      if (requestId === undefined) return;
      const reason = error instanceof Error ? error.message : toRuntimeError(error).message;
      write(errorReply(requestId, new RpcError(FAILED, reason)).text ?? "");
    }
  };
}

/** The second protocol family repeats fields of the request in headers; the first sends its session. */
function headersOf(value: Json, { session, version }: Relayed): Record<string, string> {
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

// Text that is not allowed in a header, or looks like Base64, is sent as Base64.
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

/** The error message of a response that is not an MCP message. */
function errorIn(text: string, status: number): string {
  try {
    const value = parseJson(text);
    if (isObject(value) && typeof value["message"] === "string") return value["message"];
  } catch {
    // Not JSON.
  }
  return `The server answered ${status} without a message.`;
}

function remember(
  state: Relayed,
  value: Json,
  response: Response,
  message: { [key: string]: unknown },
): void {
  if (!isObject(value) || value["method"] !== "initialize") return;
  const session = response.headers.get("mcp-session-id");
  if (session !== null) state.session = session;
  const result = message["result"];
  if (isObject(result) && typeof result["protocolVersion"] === "string")
    state.version = result["protocolVersion"];
}
