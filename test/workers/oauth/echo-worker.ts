// An MCP server, made with the official SDK, that echoes the subject of the token of each call.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { RESOURCE } from "./stand-in";
import type { IssuedToken, StrictServer } from "./strict-server";

/** What a call carried. */
export interface EchoedCall {
  tool: string;
  subject: string;
}

export interface EchoWorker {
  /** Calls of tools, in the order of arrival. */
  readonly calls: EchoedCall[];
  /** Sessions by the subject that opened them. A session of another subject's token is a fault. */
  readonly sessions: Map<string, string>;
  readonly faults: string[];
}

/** Puts the server behind the tokens of `strict`, at its worker's address. */
export function echoWorker(strict: StrictServer, { sessions: keepsSessions = false } = {}): EchoWorker {
  const { at } = strict;
  const seen: EchoWorker = { calls: [], sessions: new Map(), faults: [] };
  const transports = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const connect = async (token: IssuedToken): Promise<WebStandardStreamableHTTPServerTransport> => {
    const transport = new WebStandardStreamableHTTPServerTransport({
      enableJsonResponse: true,
      ...(keepsSessions
        ? {
            sessionIdGenerator: () => crypto.randomUUID(),
            onsessioninitialized: (id: string) => {
              transports.set(id, transport);
              seen.sessions.set(id, token.subject);
            },
          }
        : {}),
    });
    await serverOf(seen, token).connect(transport);
    return transport;
  };
  at.worker.set("/mcp", async (request) => {
    const token = strict.tokenOf(request);
    const metadata = `${at.origin}${RESOURCE}/mcp`;
    if (token === undefined)
      return new Response(null, {
        status: 401,
        headers: { "www-authenticate": `Bearer resource_metadata="${metadata}"` },
      });
    const body = await request.clone().text();
    if (body.includes('"name":"write"') && !token.scopes.includes("write"))
      return new Response(null, {
        status: 403,
        headers: { "www-authenticate": 'Bearer error="insufficient_scope", scope="write"' },
      });
    const session = request.headers.get("mcp-session-id");
    if (session !== null && seen.sessions.get(session) !== token.subject)
      seen.faults.push(`a session of ${seen.sessions.get(session)} got a token of ${token.subject}`);
    const transport = (session === null ? undefined : transports.get(session)) ?? (await connect(token));
    return transport.handleRequest(request);
  });
  return seen;
}

function serverOf(seen: EchoWorker, { subject }: IssuedToken): McpServer {
  const server = new McpServer({ name: "echo", version: "1.0.0" });
  for (const tool of ["whoami", "write"]) {
    server.registerTool(tool, { description: `Echoes the subject (${tool}).` }, () => {
      seen.calls.push({ tool, subject });
      return { content: [{ type: "text", text: `subject: ${subject}` }] };
    });
  }
  // Named after the person who lists it.
  server.registerResource(`notes of ${subject}`, `notes://${subject}`, {}, (uri) => ({
    contents: [{ uri: uri.href, text: `notes of ${subject}` }],
  }));
  return server;
}
