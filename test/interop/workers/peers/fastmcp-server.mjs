// An MCP server made with fastmcp: content of each type, progress, failures, prompts and resources.
import { FastMCP, imageContent, UserError } from "fastmcp";
import { z } from "zod";

const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

const server = new FastMCP({ name: "fastmcp peer", version: "1.2.3" });
server.addTool({
  name: "add",
  description: "Adds two numbers.",
  parameters: z.object({ a: z.number(), b: z.number() }),
  annotations: { title: "Addition", readOnlyHint: true, openWorldHint: false },
  execute: async ({ a, b }) => String(a + b),
});
server.addTool({
  name: "draw-pixel",
  description: "Draws.",
  execute: async () => imageContent({ buffer: PIXEL }),
});
server.addTool({
  name: "many",
  description: "Content of several types.",
  execute: async () => ({
    content: [
      { type: "text", text: "one" },
      { type: "resource", resource: { uri: "note://1", mimeType: "text/plain", text: "a note" } },
      { type: "resource_link", uri: "note://2", name: "second" },
    ],
  }),
});
server.addTool({
  name: "fail",
  description: "Fails.",
  execute: async () => {
    throw new UserError("It cannot be done.");
  },
});
server.addTool({
  name: "slow",
  description: "Reports progress.",
  execute: async (_input, { reportProgress }) => {
    await reportProgress({ progress: 1, total: 2 });
    await reportProgress({ progress: 2, total: 2 });
    return "done";
  },
});
server.addPrompt({
  name: "greet",
  description: "Greets.",
  arguments: [{ name: "who", description: "Whom", required: true, enum: ["alice", "bob"] }],
  load: async ({ who }) => `Greet ${who}.`,
});
server.addResource({
  uri: "note://1",
  name: "first note",
  mimeType: "text/plain",
  load: async () => ({ text: "a note" }),
});
server.addResourceTemplate({
  uriTemplate: "note://by/{author}",
  name: "notes of an author",
  mimeType: "text/plain",
  arguments: [{ name: "author", required: true, complete: async () => ({ values: ["alice", "bob"] }) }],
  load: async ({ author }) => ({ text: `by ${author}` }),
});
await server.start({
  transportType: "httpStream",
  httpStream: { port: Number(process.env.PORT), host: "127.0.0.1", endpoint: "/mcp" },
});
console.error("listening");
