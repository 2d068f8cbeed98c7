// A server made with the official SDK of revision 2026-07-28, with content of every type. It serves earlier revisions, too.
import { createServer } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, fromJsonSchema, McpServer, ResourceTemplate } from "@modelcontextprotocol/server";

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const object = (properties, required = []) =>
  fromJsonSchema({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties,
    required,
  });

function serverFor() {
  const server = new McpServer(
    { name: "official", title: "Official", version: "1.0.0", websiteUrl: "https://example.com" },
    { instructions: "Use it with care." },
  );
  const tool = (name, config, run) => server.registerTool(name, config, run);
  tool(
    "add",
    {
      title: "Add",
      description: "Adds two numbers.",
      inputSchema: object({ a: { type: "number" }, b: { type: "number" } }, ["a", "b"]),
      outputSchema: object({ sum: { type: "number" } }, ["sum"]),
      annotations: { readOnlyHint: true, idempotentHint: true, title: "Sum" },
      _meta: { "com.example/tool": { level: 1 } },
    },
    ({ a, b }) => ({
      content: [{ type: "text", text: String(a + b), annotations: { audience: ["user"], priority: 0.5 } }],
      structuredContent: { sum: a + b },
      _meta: { "com.example/result": [1, 2] },
    }),
  );
  tool("every.kind", { description: "Content of every type.", inputSchema: object({}) }, () => ({
    content: [
      { type: "text", text: "text", _meta: { "com.example/item": true } },
      { type: "image", data: PIXEL, mimeType: "image/png" },
      { type: "audio", data: "AAAA", mimeType: "audio/wav" },
      { type: "resource", resource: { uri: "test://embedded", mimeType: "text/plain", text: "embedded" } },
      {
        type: "resource",
        resource: { uri: "test://blob", mimeType: "application/octet-stream", blob: "AAEC" },
      },
      { type: "resource_link", uri: "test://static", name: "Static", mimeType: "text/plain" },
    ],
  }));
  tool("fails", { description: "Fails.", inputSchema: object({}) }, () => ({
    content: [{ type: "text", text: "It failed." }],
    isError: true,
    _meta: { "com.example/reason": "asked for" },
  }));
  tool("throws", { description: "Throws.", inputSchema: object({}) }, () => {
    throw new Error("thrown");
  });
  server.registerResource("static", "test://static", { title: "Static", mimeType: "text/plain" }, (uri) => ({
    contents: [{ uri: uri.href, mimeType: "text/plain", text: "static", _meta: { "com.example/r": 1 } }],
  }));
  server.registerResource("blob", "test://blob", { mimeType: "application/octet-stream" }, (uri) => ({
    contents: [{ uri: uri.href, mimeType: "application/octet-stream", blob: "AAEC" }],
  }));
  server.registerResource(
    "item",
    new ResourceTemplate("test://item/{id}", {
      list: undefined,
      complete: { id: (value) => [`${value}1`, `${value}2`] },
    }),
    { title: "Item" },
    (uri, { id }) => ({ contents: [{ uri: uri.href, text: `item ${id}` }] }),
  );
  server.registerPrompt("plain", { description: "A prompt." }, () => ({
    messages: [{ role: "user", content: { type: "text", text: "Hello." } }],
  }));
  server.registerPrompt(
    "greet",
    {
      title: "Greet",
      argsSchema: object({ name: { type: "string" } }, ["name"]),
    },
    ({ name }) => ({
      description: "A greeting.",
      messages: [{ role: "assistant", content: { type: "text", text: `Hello ${name}` } }],
    }),
  );
  return server;
}

createServer(toNodeHandler(createMcpHandler(serverFor))).listen(Number(process.env["PORT"]), "127.0.0.1");
