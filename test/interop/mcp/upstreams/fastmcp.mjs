// A server made with fastmcp: `bun fastmcp.mjs PORT`.
import { FastMCP, imageContent, UserError } from "fastmcp";
import { z } from "zod";

const server = new FastMCP({ name: "fast", version: "1.0.0", instructions: "Quickly." });
server.addTool({
  name: "greet",
  description: "Greets.",
  parameters: z.object({ name: z.string() }),
  annotations: { readOnlyHint: true },
  execute: async ({ name }) => `Hello ${name}`,
});
server.addTool({
  name: "picture",
  description: "An image.",
  execute: () =>
    imageContent({
      buffer: Buffer.from(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
        "base64",
      ),
    }),
});
server.addTool({
  name: "fail",
  description: "Fails.",
  execute: async () => {
    throw new UserError("It failed.", { code: 7 });
  },
});
server.addTool({
  name: "work",
  description: "Reports progress and logs.",
  execute: async (_input, { reportProgress, log }) => {
    await reportProgress({ progress: 1, total: 2 });
    log.info("half");
    await reportProgress({ progress: 2, total: 2 });
    return {
      content: [
        { type: "text", text: "a" },
        { type: "text", text: "b" },
      ],
    };
  },
});
server.addResource({
  uri: "test://log",
  name: "Log",
  mimeType: "text/plain",
  load: async () => ({ text: "log" }),
});
server.addResourceTemplate({
  uriTemplate: "test://items/{id}",
  name: "Items",
  mimeType: "text/plain",
  arguments: [{ name: "id", required: true, complete: async (value) => ({ values: [`${value}0`] }) }],
  load: async ({ id }) => ({ text: `item ${id}` }),
});
server.addPrompt({
  name: "poem",
  description: "A poem.",
  arguments: [{ name: "topic", required: true }],
  load: async ({ topic }) => `A poem about ${topic}.`,
});
await server.start({
  transportType: "httpStream",
  httpStream: { port: Number(process.argv[2]), host: "127.0.0.1", endpoint: "/mcp" },
});
console.log(process.argv[2]);
