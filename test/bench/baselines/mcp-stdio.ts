// The MCP server behind the gateways that are compared: one tool that does nothing, on standard input and output.
import process from "node:process";

const decoder = new TextDecoder();
let rest = "";

for await (const bytes of Bun.stdin.stream()) {
  const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
  rest = lines.pop() ?? "";
  process.stdout.write(lines.map(answer).join(""));
}

function answer(line: string): string {
  if (line === "") return "";
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return "";
  return `${JSON.stringify({ jsonrpc: "2.0", id, result: resultOf(method, params) })}\n`;
}

function resultOf(method: string, params: { protocolVersion?: string } | undefined): object {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "nothing", version: "1.0.0" },
      };
    case "tools/list":
      return { tools: [{ name: "Nothing", description: "Does nothing.", inputSchema: { type: "object" } }] };
    case "tools/call":
      return { content: [{ type: "text", text: "done" }] };
    default:
      return {};
  }
}
