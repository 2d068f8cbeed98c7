// The OpenAI Agents SDK: prints the names of a gateway's tools, also converted to strict ones, and what one of them returns.
import { getAllMcpTools, MCPServerStreamableHttp } from "@openai/agents";

const [url, key] = process.argv.slice(2);
const headers = { Authorization: `Bearer ${key}` };
const server = new MCPServerStreamableHttp({ name: "team", url, requestInit: { headers } });
await server.connect();
const tools = await server.listTools();
const strict = await getAllMcpTools({ mcpServers: [server], convertSchemasToStrict: true });
const notStrict = strict.filter((tool) => tool.strict !== true).map(({ name }) => name);
if (notStrict.length > 0) throw new Error(`not strict: ${notStrict.join(", ")}`);
const results = [
  await server.callTool("Chat_WhoAmI", {}),
  await server.callTool("Chat_SendMessage", { channel_name: "general", message: "openai-agents" }),
];
console.log(JSON.stringify({ names: tools.map(({ name }) => name), results }));
await server.close();
