// An MCP server, made with the official SDK, that echoes the subject of the token of each call.
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import {
  CallToolRequestSchema,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { RESOURCE } from "./stand-in";
import type { StrictServer } from "./strict-server";

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

/** Whose token a request has. */
export interface EchoedToken {
  subject: string;
  client: string;
  scopes: string[];
}

export interface EchoOptions {
  tokenOf(request: Request): EchoedToken | undefined | Promise<EchoedToken | undefined>;
  /** Where the metadata of the resource is. */
  metadata: string;
  /** Whether it keeps sessions. */
  sessions?: boolean;
  /** Whether it has a resource that is named after the person who lists it. */
  notes?: boolean;
}

/** Puts the server behind the tokens of `strict`, at its worker's address. */
export function echoWorker(strict: StrictServer, { sessions = false, notes = false } = {}): EchoWorker {
  const metadata = `${strict.at.origin}${RESOURCE}/mcp`;
  const tokenOf = (request: Request): EchoedToken | undefined => strict.tokenOf(request);
  const { seen, handle } = echoServer({ tokenOf, metadata, sessions, notes });
  strict.at.worker.set("/mcp", handle);
  return seen;
}

/** The server as a function of a request. */
export function echoServer({
  tokenOf,
  metadata,
  sessions: keepsSessions = false,
  notes = false,
}: EchoOptions): {
  seen: EchoWorker;
  handle(request: Request): Promise<Response>;
} {
  const seen: EchoWorker = { calls: [], sessions: new Map(), faults: [] };
  const transports = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const connect = async (subject: string): Promise<WebStandardStreamableHTTPServerTransport> => {
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
    await serverOf(seen, notes).connect(transport);
    return transport;
  };
  const handle = async (request: Request): Promise<Response> => {
    const token = await tokenOf(request);
    if (token === undefined) return refusal(401, `Bearer resource_metadata="${metadata}"`);
    const { subject, client: clientId, scopes } = token;
    const body = await request.clone().text();
    if (body.includes('"name":"write"') && !scopes.includes("write"))
      return refusal(403, 'Bearer error="insufficient_scope", scope="write"');
    const session = request.headers.get("mcp-session-id");
    if (session !== null && seen.sessions.get(session) !== subject)
      seen.faults.push(`a session of ${seen.sessions.get(session)} got a token of ${subject}`);
    const transport = (session === null ? undefined : transports.get(session)) ?? (await connect(subject));
    return transport.handleRequest(request, {
      authInfo: { token: "", clientId, scopes, extra: { subject } },
    });
  };
  return { seen, handle };
}

function refusal(status: number, challenge: string): Response {
  return new Response(null, { status, headers: { "www-authenticate": challenge } });
}

/** `notes`: it has a resource of each person. */
function serverOf(seen: EchoWorker, notes: boolean): Server {
  const server = new Server(
    { name: "echo", version: "1.0.0" },
    { capabilities: { tools: {}, ...(notes ? { resources: {} } : {}) } },
  );
  const inputSchema = { type: "object" as const, properties: { user: { type: "string" } } };
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: ["whoami", "write"].map((name) => ({ name, description: "Echoes the subject.", inputSchema })),
  }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }, { authInfo }) => {
    const subject = authInfo?.extra?.["subject"];
    seen.calls.push({ tool: params.name, user: params.arguments?.["user"], subject });
    return { content: [{ type: "text", text: `subject: ${String(subject)}` }] };
  });
  if (!notes) return server;
  // Named after the person who lists it.
  server.setRequestHandler(ListResourcesRequestSchema, (_request, { authInfo }) => {
    const subject = String(authInfo?.extra?.["subject"]);
    return { resources: [{ name: `notes of ${subject}`, uri: `notes://${subject}` }] };
  });
  return server;
}
