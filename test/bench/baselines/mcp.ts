// The floor of an MCP server: hand-written JSON-RPC on bare Bun, one tool, no credentials, no checks.
import { serve } from "./serve";

const headers = { "content-type": "application/json" };

await serve(async (request) => {
  const { id, method, params } = JSON.parse(await request.text());
  if (method !== "tools/call" || params.name !== "Bench_Nothing") {
    const error = { code: -32601, message: "not found" };
    return new Response(JSON.stringify({ jsonrpc: "2.0", id, error }), { headers });
  }
  const result = { content: [{ type: "text", text: "done" }] };
  return new Response(JSON.stringify({ jsonrpc: "2.0", id, result }), { headers });
});
