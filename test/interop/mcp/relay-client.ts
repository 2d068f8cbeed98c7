// A client of the conformance suite that goes through the relay: `bun relay-client.ts ADDRESS`. The official client speaks to the
// relay as to a program, and the relay to the suite's server.
import { Client } from "@modelcontextprotocol/client";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { parseJson } from "../../../src/base";
import { relayOf } from "./relay";

const address = process.argv.at(-1) ?? "";
const context = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}");
const scenario = process.env["MCP_CONFORMANCE_SCENARIO"] ?? "";
const version = process.env["MCP_CONFORMANCE_PROTOCOL_VERSION"] ?? "";

/** The relay asks for `/mcp/suite`; the suite has its server elsewhere. */
const front = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  idleTimeout: 60,
  fetch: async ({ method, headers, body }) => {
    const onward = new Headers(headers);
    onward.delete("host");
    const answer = await fetch(address, { method, headers: onward, body });
    return new Response(answer.body, answer);
  },
});

class RelayTransport implements Transport {
  onclose?: () => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #ended = new AbortController();
  readonly #handle = relayOf({ address: `http://127.0.0.1:${front.port}`, key: "none", slug: "suite" });

  async start(): Promise<void> {
    return undefined;
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const line = JSON.stringify(message);
    // As on standard output, replies come by themselves.
    void this.#handle(
      parseJson(line),
      (text) => this.onmessage?.(JSON.parse(text)),
      line,
      this.#ended.signal,
    );
  }

  async close(): Promise<void> {
    this.#ended.abort();
    this.onclose?.();
  }
}

interface Call {
  name: string;
  arguments?: Record<string, unknown>;
}

const client = new Client(
  { name: "relay", version: "1" },
  {
    capabilities: { elicitation: { form: {} } },
    versionNegotiation: { mode: version === "2026-07-28" ? { pin: version } : "legacy" },
  },
);
client.setRequestHandler("elicitation/create", () => ({
  action: "accept",
  content: { name: "Ann", confirmed: true },
}));
await client.connect(new RelayTransport());
if (scenario !== "initialize") {
  const { tools } = await client.listTools();
  const calls: Call[] =
    context.toolCalls ?? tools.map(({ name }) => ({ name, arguments: argumentsOf(name) }));
  // The schema of another tool, as this client received it.
  function argumentsOf(name: string): Record<string, unknown> {
    const schema = tools.find((tool) => tool.name !== name)?.inputSchema;
    return name === "json_schema_echo" ? { schema } : { a: 5, b: 3, region: "eu" };
  }
  for (const call of calls)
    await client.callTool(call).catch((error: unknown) => console.error(String(error)));
}
await client.close();
await front.stop(true);
process.exit(0);
