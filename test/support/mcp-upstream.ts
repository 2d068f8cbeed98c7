// A strict MCP server in this process, for tests of the client half: it notes everything that a client must not do, and does
// whatever a test wants with a request.
import { isObject } from "../../src/base";

export interface Seen {
  method: string;
  params: Record<string, unknown>;
  headers: Headers;
  session: string | undefined;
}

export interface Asked extends Seen {
  id: unknown;
  /** The server, to look at or change what it knows. */
  upstream: Upstream;
  request: Request;
}

/** A result, or the whole HTTP response. */
type Handled = Record<string, unknown> | Response;
export type Handle = (asked: Asked) => Handled | Promise<Handled>;

export interface UpstreamOptions {
  /** Default: `legacy`. */
  family?: "modern" | "legacy";
  /** Revision of the legacy family. */
  version?: string;
  /** Legacy: without session ids. */
  stateless?: boolean;
  capabilities?: Record<string, unknown>;
  instructions?: string;
  /** Methods with their answers; others are not found. */
  methods?: Record<string, Handle>;
  /** Is asked before everything else; undefined goes on. */
  before?: (request: Request, upstream: Upstream) => Response | Promise<Response | undefined> | undefined;
}

export const MODERN = "2026-07-28";
const VERSION = "io.modelcontextprotocol/protocolVersion";
const CLIENT_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";

export class Upstream implements AsyncDisposable {
  readonly requests: Seen[] = [];
  /** What the client did that the protocol forbids. */
  readonly faults: string[] = [];
  /** Sessions that are alive, with the capabilities of their clients. */
  readonly sessions = new Map<string, Record<string, unknown>>();
  readonly ended: string[] = [];
  /** Replies of the client to requests of the server. */
  readonly replies: Record<string, unknown>[] = [];
  readonly gets: Headers[] = [];
  readonly cancelled: unknown[] = [];
  options: UpstreamOptions;
  readonly #server;
  #sessionCount = 0;

  constructor(options: UpstreamOptions = {}) {
    this.options = options;
    this.#server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      idleTimeout: 120,
      development: false,
      fetch: (request) => this.#serve(request),
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}/mcp`;
  }

  get port(): number {
    return this.#server.port ?? 0;
  }

  methodsSeen(): string[] {
    return this.requests.map(({ method }) => method);
  }

  calls(method: string): Seen[] {
    return this.requests.filter((seen) => seen.method === method);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop(true);
  }

  get #isModern(): boolean {
    return this.options.family === "modern";
  }

  async #serve(request: Request): Promise<Response> {
    const early = await this.options.before?.(request, this);
    if (early !== undefined) return early;
    if (request.method === "DELETE") return this.#delete(request);
    if (request.method === "GET") {
      this.gets.push(request.headers);
      return new Response(null, { status: 405 });
    }
    return this.#post(request);
  }

  #delete(request: Request): Response {
    const id = request.headers.get("mcp-session-id") ?? "";
    this.ended.push(id);
    return new Response(null, { status: this.sessions.delete(id) ? 200 : 404 });
  }

  async #post(request: Request): Promise<Response> {
    const { headers } = request;
    const message: unknown = await request.json();
    if (!isObject(message)) return new Response("not a message", { status: 400 });
    const { id, method } = message;
    if (!(headers.get("accept") ?? "").includes("text/event-stream")) this.faults.push("accept");
    if (typeof method !== "string") {
      this.replies.push(message);
      return new Response(null, { status: 202 });
    }
    const params = isObject(message["params"]) ? message["params"] : {};
    const seen = { method, params, headers, session: headers.get("mcp-session-id") ?? undefined };
    this.requests.push(seen);
    if (method === "notifications/cancelled") this.cancelled.push(params["requestId"]);
    return this.#isModern ? this.#modern(seen, id, request) : this.#legacy(seen, id, request);
  }

  async #modern(seen: Seen, id: unknown, request: Request): Promise<Response> {
    const { method, params, headers, session } = seen;
    const meta = isObject(params["_meta"]) ? params["_meta"] : {};
    if (meta[VERSION] !== MODERN) {
      const data = { supported: [MODERN], requested: meta[VERSION] ?? null };
      return failure(id, -32022, "Unsupported protocol version", { status: 400, data });
    }
    if (headers.get("mcp-protocol-version") !== MODERN) this.faults.push("version header");
    if (headers.get("mcp-method") !== method) this.faults.push("method header");
    if (!isObject(meta[CLIENT_CAPABILITIES])) this.faults.push("capabilities");
    if (session !== undefined) this.faults.push("session");
    if (method === "server/discover") {
      const { capabilities = { tools: {} }, instructions } = this.options;
      const more = instructions === undefined ? {} : { instructions };
      const serverInfo = { name: "upstream", version: "1.2.3", title: "Upstream" };
      return reply(id, {
        resultType: "complete",
        supportedVersions: [MODERN],
        capabilities,
        ...more,
        _meta: { "io.modelcontextprotocol/serverInfo": serverInfo },
      });
    }
    return this.#handled(seen, id, request, { resultType: "complete" });
  }

  async #legacy(seen: Seen, id: unknown, request: Request): Promise<Response> {
    const { method, params, headers, session } = seen;
    const { stateless = false, capabilities = { tools: {} }, instructions } = this.options;
    const { version = "2025-11-25" } = this.options;
    if (method === "initialize") {
      if (session !== undefined) this.faults.push("initialize in a session");
      if (!isObject(params["clientInfo"]) || !isObject(params["capabilities"]))
        this.faults.push("initialize");
      const result = {
        protocolVersion: version,
        capabilities,
        serverInfo: { name: "upstream", version: "1.2.3" },
        ...(instructions === undefined ? {} : { instructions }),
      };
      if (stateless) return reply(id, result);
      const started = `session-${++this.#sessionCount}`;
      this.sessions.set(started, Object(params["capabilities"]));
      return reply(id, result, { "mcp-session-id": started });
    }
    if (!stateless && session === undefined)
      return failure(id, -32600, "Bad Request: no session", { status: 400 });
    if (!stateless && !this.sessions.has(session ?? "")) {
      return failure(id, -32001, "Session not found", { status: 404 });
    }
    if (!stateless && headers.get("mcp-protocol-version") !== version) this.faults.push("version header");
    if (id === undefined) return new Response(null, { status: 202 });
    return this.#handled(seen, id, request, {});
  }

  async #handled(
    seen: Seen,
    id: unknown,
    request: Request,
    more: Record<string, unknown>,
  ): Promise<Response> {
    const handle = this.options.methods?.[seen.method];
    if (handle === undefined)
      return failure(id, -32601, "Method not found", { status: this.#isModern ? 404 : 200 });
    const handled = await handle({ ...seen, id, upstream: this, request });
    return handled instanceof Response ? handled : reply(id, { ...more, ...handled });
  }
}

export function reply(id: unknown, result: object, headers: Record<string, string> = {}): Response {
  return Response.json({ jsonrpc: "2.0", id, result }, { headers });
}

export function failure(
  id: unknown,
  code: number,
  message: string,
  { status = 200, data }: { status?: number; data?: object } = {},
): Response {
  return Response.json({ jsonrpc: "2.0", id, error: { code, message, data } }, { status });
}

/** A stream of messages; each is the data of an event, and a text is sent as it is. */
export function events(messages: AsyncIterable<object | string> | Iterable<object | string>): Response {
  async function* text(): AsyncGenerator<string> {
    for await (const message of messages) {
      yield typeof message === "string" ? message : `event: message\ndata: ${JSON.stringify(message)}\n\n`;
    }
  }
  const parts = text();
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const { done, value } = await parts.next();
      if (done === true) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

export const notification = (method: string, params: object = {}): object => ({
  jsonrpc: "2.0",
  method,
  params,
});
export const result = (id: unknown, value: object): object => ({ jsonrpc: "2.0", id, result: value });
export const TEXT = (text: string): Record<string, unknown> => ({ content: [{ type: "text", text }] });
