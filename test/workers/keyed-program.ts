// An MCP server on standard input and output that knows its user by a key in its environment.
import { createInterface } from "node:readline";

const INFO = {
  protocolVersion: "2025-06-18",
  capabilities: { tools: {} },
  serverInfo: { name: "keyed", version: "1.0.0" },
};
const TOOLS = [{ name: "who", description: "Says whose key it is.", inputSchema: { type: "object" } }];
const mark = new Bun.CryptoHasher("sha256")
  .update(process.env["SERVICE_KEY"] ?? "")
  .digest("hex")
  .slice(0, 16);

const ANSWERS: Readonly<Record<string, object>> = {
  initialize: INFO,
  "tools/list": { tools: TOOLS },
  "tools/call": { content: [{ type: "text", text: mark }] },
  ping: {},
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line) as { id?: number; method?: string };
  if (id === undefined) continue;
  const result = ANSWERS[method ?? ""];
  const answer = result === undefined ? { error: { code: -32601, message: "Method not found" } } : { result };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...answer })}\n`);
}
