// An MCP server, made with the official SDK, that echoes the subject of the token of each call.
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { RESOURCE } from "./stand-in";
import type { IssuedToken, StrictServer } from "./strict-server";

/** What a call carried. `user`: whom the caller says that it is for. */
export interface EchoedCall {
  tool: string;
  user: unknown;
  subject: unknown;
}

export interface EchoWorker {
  /** Calls of tools, in the order of arrival. */
  readonly calls: EchoedCall[];
  /** Who opened each session. */
  readonly sessions: Map<string, string>;
  /** Sessions that were used with the token of another subject. */
  readonly faults: string[];
}

/** Puts the server behind the tokens of `strict`, at its worker's address. */
export function echoWorker(strict: StrictServer, { sessions: keepsSessions = false } = {}): EchoWorker {
  const { at } = strict;
  const seen: EchoWorker = { calls: [], sessions: new Map(), faults: [] };
  const transports = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const connect = async ({ subject }: IssuedToken): Promise<WebStandardStreamableHTTPServerTransport> => {
    const transport = new WebStandardStreamableHTTPServerTransport({
      enableJsonResponse: true,
      ...(keepsSessions
        ? {
            sessionIdGenerator: () => crypto.randomUUID(),
            onsessioninitialized: (id: string) => {
              transports.set(id, transport);
              seen.sessions.set(id, subject);
            },
          }
        : {}),
    });
    await serverOf(seen).connect(transport);
    return transport;
  };
  at.worker.set("/mcp", async (request) => {
    const token = strict.tokenOf(request);
    if (token === undefined) return refusal(401, `Bearer resource_metadata="${at.origin}${RESOURCE}/mcp"`);
    const body = await request.clone().text();
    if (body.includes('"name":"write"') && !token.scopes.includes("write"))
      return refusal(403, 'Bearer error="insufficient_scope", scope="write"');
    const session = request.headers.get("mcp-session-id");
    if (session !== null && seen.sessions.get(session) !== token.subject)
      seen.faults.push(`a session of ${seen.sessions.get(session)} got a token of ${token.subject}`);
    const transport = (session === null ? undefined : transports.get(session)) ?? (await connect(token));
    const { subject, client: clientId, scopes } = token;
    return transport.handleRequest(request, {
      authInfo: { token: "", clientId, scopes, extra: { subject } },
    });
  });
  return seen;
}

function refusal(status: number, challenge: string): Response {
  return new Response(null, { status, headers: { "www-authenticate": challenge } });
}

function serverOf(seen: EchoWorker): Server {
  const server = new Server({ name: "echo", version: "1.0.0" }, { capabilities: { tools: {} } });
  const inputSchema = { type: "object" as const, properties: { user: { type: "string" } } };
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: ["whoami", "write"].map((name) => ({ name, description: "Echoes the subject.", inputSchema })),
  }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }, { authInfo }) => {
    const subject = authInfo?.extra?.["subject"];
    seen.calls.push({ tool: params.name, user: params.arguments?.["user"], subject });
    return { content: [{ type: "text", text: `subject: ${String(subject)}` }] };
  });
  return server;
}
