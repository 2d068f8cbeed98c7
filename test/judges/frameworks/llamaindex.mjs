// LlamaIndex: prints the names of a gateway's tools, and what one of them returns.
import { mcp } from "@llamaindex/tools";

const [url, key] = process.argv.slice(2);
const headers = { Authorization: `Bearer ${key}` };
const server = mcp({ url, requestInit: { headers } });
const tools = await server.tools();
const call = (name, input) => tools.find((tool) => tool.metadata.name.endsWith(name)).call(input);
const results = [
  await call("Chat_WhoAmI", {}),
  await call("Chat_SendMessage", { channel_name: "general", message: "llamaindex" }),
];
console.log(JSON.stringify({ names: tools.map(({ metadata }) => metadata.name), results }));
process.exit(0);
