// The npm gateways for stdio servers, each in its fastest mode, with the same server.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Context } from "./bench";
import { type Child, SERVER_CORE } from "./children";
import { node, peer } from "./peers";
import { freePort } from "./server-under-test";

export interface McpGateway {
  name: string;
  port: number;
  pid: number;
  /** Streamable HTTP, or the older transport with answers on a separate stream. */
  transport: "http" | "sse";
  /** Headers of a session, for gateways with sessions. */
  headers: Record<string, string>;
  stop(): Promise<void>;
}

const STDIO = join(import.meta.dir, "baselines", "mcp-stdio.ts");
const START_MS = 20_000;
const POLL_MS = 50;
export const ACCEPT = { Accept: "application/json, text/event-stream" };
const INITIALIZE = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "bench", version: "1.0.0" },
  },
};

export async function startMcpProxy(context: Context): Promise<McpGateway> {
  const port = freePort();
  const script = peer("mcp-proxy", "dist", "bin", "mcp-proxy.mjs");
  const options = ["--port", String(port), "--server", "stream", "--no-eventStore"];
  return overHttp(context, "mcp-proxy", port, [script, ...options, "--", process.execPath, STDIO]);
}

export async function startSupergateway(context: Context): Promise<McpGateway> {
  const port = freePort();
  const script = peer("supergateway", "dist", "index.js");
  const server = ["--stdio", `${process.execPath} ${STDIO}`, "--outputTransport", "streamableHttp"];
  const options = ["--stateful", "--port", String(port), "--logLevel", "none"];
  return overHttp(context, "supergateway", port, [script, ...server, ...options]);
}

/** `url`: a server over HTTP in place of the one on standard input and output. */
export async function startMcpHub(context: Context, url?: string): Promise<McpGateway> {
  const port = freePort();
  const config = join(context.folder, "mcp-hub.json");
  const servers = { nothing: url === undefined ? { command: process.execPath, args: [STDIO] } : { url } };
  writeFileSync(config, JSON.stringify({ mcpServers: servers }));
  const command = [peer("mcp-hub", "dist", "cli.js"), "--port", String(port), "--config", config];
  const child = spawn(context, "mcp-hub", command);
  await until(child, async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/api/health`);
    return (await answer.text()).includes('"connected"');
  });
  return { name: "mcp-hub", port, pid: child.pid, transport: "sse", headers: {}, stop: () => child.stop() };
}

async function overHttp(
  context: Context,
  name: string,
  port: number,
  command: string[],
): Promise<McpGateway> {
  const child = spawn(context, name, command);
  let headers = {};
  await until(child, async () => {
    headers = await session(port);
    return true;
  });
  return { name, port, pid: child.pid, transport: "http", headers, stop: () => child.stop() };
}

function spawn({ children, folder }: Context, name: string, command: string[]): Child {
  // HOME: some of them write into it.
  const environment = { HOME: folder, NODE_ENV: "production" };
  const errorFile = join(folder, `${name}.log`);
  return children.spawn([node(), ...command], { core: SERVER_CORE, environment, errorFile });
}

async function until(child: Child, ready: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + START_MS;
  while (!(await ready().catch(() => false))) {
    if (child.exitCode() !== null || performance.now() > end) throw new Error("a gateway did not start");
    await Bun.sleep(POLL_MS);
  }
}

/** Starts a session of the 2025 revisions; the headers that its requests carry. */
export async function session(
  port: number,
  path = "/mcp",
  headers: Record<string, string> = {},
): Promise<Record<string, string>> {
  const send = (body: object, more: object = {}) =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...ACCEPT, ...headers, ...more },
      body: JSON.stringify(body),
    });
  const answer = await send(INITIALIZE);
  const text = await answer.text();
  if (!text.includes('"serverInfo"')) throw new Error(`initialize answered ${answer.status}: ${text}`);
  const id = answer.headers.get("mcp-session-id");
  const own = { "MCP-Protocol-Version": "2025-06-18", ...(id === null ? {} : { "Mcp-Session-Id": id }) };
  await (await send({ jsonrpc: "2.0", method: "notifications/initialized" }, own)).arrayBuffer();
  return own;
}
