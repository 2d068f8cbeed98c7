// LangChain's MCP adapters: prints the names of a gateway's tools, and what one of them returns.
import { MultiServerMCPClient } from "@langchain/mcp-adapters";

const [url, key] = process.argv.slice(2);
const headers = { Authorization: `Bearer ${key}` };
const client = new MultiServerMCPClient({ mcpServers: { team: { transport: "http", url, headers } } });
const tools = await client.getTools();
const call = (name, input) => tools.find((tool) => tool.name === name).invoke(input);
const results = [
  await call("Chat_WhoAmI", {}),
  await call("Chat_SendMessage", { channel_name: "general", message: "langchain" }),
];
console.log(JSON.stringify({ names: tools.map(({ name }) => name), results }));
await client.close();
