// Mastra: prints the names of a gateway's tools, and what one of them returns.
import { MCPClient } from "@mastra/mcp";

const [url, key] = process.argv.slice(2);
const headers = { Authorization: `Bearer ${key}` };
const client = new MCPClient({ servers: { team: { url: new URL(url), requestInit: { headers } } } });
const tools = await client.listTools();
const call = (name, input) => tools[`team_${name}`].execute(input, {});
const results = [
  await call("Chat_WhoAmI", {}),
  await call("Chat_SendMessage", { channel_name: "general", message: "mastra" }),
];
console.log(JSON.stringify({ names: Object.keys(tools).map((name) => name.replace("team_", "")), results }));
await client.disconnect();
process.exit(0);
