// An MCP server over HTTP with sessions and one tool, whose answers are streams of one event.
import { serve } from "./serve";

const SERVER = {
  capabilities: { tools: {} },
  serverInfo: { name: "bench", version: "1.0.0" },
};
const TOOL = {
  name: "Nothing",
  description: "Do nothing.",
  inputSchema: { type: "object", properties: { text: { type: "string" } } },
};

function answer(id: unknown, fields: object, headers: Record<string, string> = {}): Response {
  const event = `event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", id, ...fields })}\n\n`;
  return new Response(event, { headers: { "content-type": "text/event-stream", ...headers } });
}

await serve(async (request) => {
  if (request.method !== "POST") return new Response(null, { status: 405 });
  const { id, method, params } = JSON.parse(await request.text());
  if (id === undefined) return new Response(null, { status: 202 });
  if (method === "initialize")
    return answer(
      id,
      { result: { ...SERVER, protocolVersion: params.protocolVersion } },
      { "mcp-session-id": crypto.randomUUID() },
    );
  if (method === "tools/list") return answer(id, { result: { tools: [TOOL] } });
  if (method === "tools/call") return answer(id, { result: { content: [{ type: "text", text: "done" }] } });
  return answer(id, { error: { code: -32601, message: "not found" } });
});
