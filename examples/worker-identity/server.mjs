// An MCP server that is told who calls: `node server.mjs PORT RUNTIME`. RUNTIME is the public address of the runtime.
import { createServer } from "node:http";
import { createRemoteJWKSet, jwtVerify } from "jose";

const [port, runtime] = process.argv.slice(2);
const address = `http://127.0.0.1:${port}/mcp`;
const keys = createRemoteJWKSet(new URL(`${runtime}/.well-known/jwks.json`));

/** The claims of the token. Throws for one that is not valid, or is for another worker. */
async function callerOf({ headers }) {
  const checks = { issuer: runtime, audience: address, algorithms: ["ES256"] };
  return (await jwtVerify(headers["x-runtime-identity"] ?? "", keys, checks)).payload;
}

const TOOL = {
  name: "who",
  description: "Says who calls.",
  inputSchema: { type: "object", properties: {} },
};

const METHODS = {
  initialize: () => ({
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: "who", version: "1.0.0" },
  }),
  "tools/list": () => ({ tools: [TOOL] }),
  "tools/call": ({ sub, project, act }) => ({
    content: [{ type: "text", text: `${sub} of ${project}, through ${act.sub}` }],
  }),
};

/** Only calls have a user: the catalog is read for everybody. */
function replyTo({ id, method }, caller) {
  if (method === "tools/call" && caller.sub === undefined)
    return { id, error: { code: -32600, message: "A call needs a user." } };
  const answer = METHODS[method];
  if (answer === undefined) return { id, error: { code: -32601, message: "Method not found" } };
  return { id, result: answer(caller) };
}

async function handle(request, response) {
  const parts = [];
  for await (const part of request) parts.push(part);
  const caller = await callerOf(request).catch(() => undefined);
  if (caller === undefined) return response.writeHead(401).end();
  const message = JSON.parse(Buffer.concat(parts).toString() || "{}");
  if (message.id === undefined) return response.writeHead(202).end();
  response.setHeader("content-type", "application/json");
  return response.end(JSON.stringify({ jsonrpc: "2.0", ...replyTo(message, caller) }));
}

createServer(handle).listen(Number(port), "127.0.0.1");
