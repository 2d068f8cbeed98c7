// An MCP server that keeps notes. A session has its own notes, and the runtime never shares a session between users.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";

const sessions = new Map();
const say = (text) => ({ content: [{ type: "text", text }] });

async function begin() {
  const notes = [];
  const server = new McpServer({ name: "notes", version: "1.0.0" });
  const add = { description: "Keeps a note.", inputSchema: { text: z.string() } };
  server.registerTool("add", add, ({ text }) => say(`You have ${notes.push(text)}.`));
  const list = { description: "Lists your notes." };
  server.registerTool("list", list, () => say(notes.join("\n") || "No notes."));
  const kept = { sessionIdGenerator: randomUUID, onsessioninitialized: (id) => sessions.set(id, transport) };
  const transport = new StreamableHTTPServerTransport(kept);
  await server.connect(transport);
  return transport;
}

createServer(async (request, response) => {
  const id = request.headers["mcp-session-id"];
  const transport = id === undefined ? await begin() : sessions.get(id);
  if (transport === undefined) response.writeHead(404).end();
  else await transport.handleRequest(request, response);
}).listen(Number(process.argv[2] ?? 3001), "127.0.0.1");
