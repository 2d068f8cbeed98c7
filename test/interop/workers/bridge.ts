// Serves a program that speaks MCP on standard input and output over Streamable HTTP: one process for each session.
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import type { JSONRPCMessage, RequestId } from "@modelcontextprotocol/sdk/types.js";

export interface Bridge extends AsyncDisposable {
  readonly url: string;
}

export interface Program {
  command: string;
  args: string[];
  env: Record<string, string>;
  cwd: string;
}

export function startBridge(program: Program): Bridge {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch: async (request) => {
      const id = request.headers.get("mcp-session-id");
      if (id !== null) {
        const known = sessions.get(id);
        return known === undefined ? new Response(null, { status: 404 }) : known.handleRequest(request);
      }
      return (await opened(program, sessions)).handleRequest(request);
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/mcp`,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([...sessions.values()].map((session) => session.close()));
      await server.stop(true);
    },
  };
}

async function opened(
  program: Program,
  sessions: Map<string, WebStandardStreamableHTTPServerTransport>,
): Promise<WebStandardStreamableHTTPServerTransport> {
  const child = new StdioClientTransport({ ...program, stderr: "ignore" });
  const front = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => crypto.randomUUID(),
    onsessioninitialized: (id) => void sessions.set(id, front),
    onsessionclosed: () => void child.close(),
  });
  /** Requests without a reply: what the program says meanwhile is about the newest. */
  const running: RequestId[] = [];
  front.onmessage = (message) => {
    if ("method" in message && "id" in message) running.push(message.id);
    void child.send(message);
  };
  front.onclose = () => void child.close();
  child.onmessage = (message: JSONRPCMessage) => {
    const isReply = !("method" in message);
    const about = isReply ? undefined : running.at(-1);
    if (isReply && "id" in message && message.id !== undefined)
      running.splice(running.indexOf(message.id), 1);
    void front.send(message, about === undefined ? {} : { relatedRequestId: about }).catch(() => undefined);
  };
  await child.start();
  await front.start();
  return front;
}
