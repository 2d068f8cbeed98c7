// Vercel's AI SDK: prints the names of a gateway's tools, and what one of them returns.
import { createMCPClient } from "@ai-sdk/mcp";

const [url, key] = process.argv.slice(2);
const headers = { Authorization: `Bearer ${key}` };
const client = await createMCPClient({ transport: { type: "http", url, headers } });
const tools = await client.tools();
const call = (name, input) => tools[name].execute(input, { toolCallId: "1", messages: [] });
const results = [
  await call("Chat_WhoAmI", {}),
  await call("Chat_SendMessage", { channel_name: "general", message: "ai" }),
];
console.log(JSON.stringify({ names: Object.keys(tools), results }));
await client.close();
