// The relay of `runtime mcp --server` in this process, and an HTTP address for it, because the conformance suite speaks HTTP. The
// bridge only carries messages: each POST is one line of standard input, and its answer is what the relay writes for it.
import { serverAt } from "../../../cli/client/http";
import type { Handler } from "../../../cli/mcp-lines";
import { relayTo } from "../../../cli/mcp-relay";
import { isObject, parseJson } from "../../../src/base";
import { loadConfig } from "../../support/config";
import { USER } from "./gateway";

export interface RelayTarget {
  /** Address of the server. */
  address: string;
  key: string;
  slug: string;
}

export function relayOf({ address, key, slug }: RelayTarget): Handler {
  const config = loadConfig({ environment: { HOME: "/nonexistent" } });
  return relayTo(serverAt({ address, key }, 120_000, config), slug, USER);
}

/** Sends one message, and returns what the relay writes for it. */
export async function through(
  handler: Handler,
  message: object | string,
  ended?: AbortSignal,
): Promise<string[]> {
  const line = typeof message === "string" ? message : JSON.stringify(message);
  const written: string[] = [];
  await handler(parseJson(line), (text) => written.push(text), line, ended ?? new AbortController().signal);
  return written;
}

export interface Bridge extends AsyncDisposable {
  readonly url: string;
}

/** A program serves one client, so each session has a relay of its own. */
export function startBridge(target: RelayTarget): Bridge {
  const relays = new Map<string, Handler>();
  const stateless = relayOf(target);
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 60,
    development: false,
    fetch: async (request) => {
      if (request.method !== "POST") return new Response(null, { status: 405, headers: { allow: "POST" } });
      const text = await request.text();
      const id = request.headers.get("mcp-session-id");
      const known = id === null ? stateless : relays.get(id);
      if (known === undefined) return new Response("", { status: 404 });
      const message: unknown = JSON.parse(text);
      const method = isObject(message) ? message["method"] : undefined;
      if (method === "subscriptions/listen") return subscribed(known, text);
      const begins = method === "initialize";
      const relay = begins ? relayOf(target) : known;
      const session = crypto.randomUUID();
      if (begins) relays.set(session, relay);
      return answerOf(await through(relay, text), begins ? { "mcp-session-id": session } : {});
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

/** A stream that passes on what is written, and cancels as a program's client does. */
function subscribed(relay: Handler, line: string): Response {
  const { id } = JSON.parse(line);
  const encoder = new TextEncoder();
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      const write = (text: string): void => controller.enqueue(encoder.encode(`data: ${text}\n\n`));
      void relay(JSON.parse(line), write, line, new AbortController().signal).finally(() => {
        try {
          controller.close();
        } catch {
          // The client has gone.
        }
      });
    },
    cancel: async () => {
      const params = { requestId: id };
      await through(relay, { jsonrpc: "2.0", method: "notifications/cancelled", params });
    },
  });
  return new Response(stream, { headers: { "content-type": "text/event-stream" } });
}

/** Statuses of the transport, which a program does not have. */
const STATUSES: { [code: string]: number } = { "-32601": 404, "-32020": 400, "-32021": 400, "-32022": 400 };

function answerOf(messages: readonly string[], headers: Record<string, string>): Response {
  const [first, ...more] = messages;
  if (first === undefined) return new Response(null, { status: 202, headers });
  if (more.length > 0) {
    const events = messages.map((text) => `event: message\ndata: ${text}\n\n`).join("");
    return new Response(events, { headers: { ...headers, "content-type": "text/event-stream" } });
  }
  const { error } = JSON.parse(first);
  const status = STATUSES[String(error?.code)] ?? 200;
  return new Response(first, { status, headers: { ...headers, "content-type": "application/json" } });
}
