// A client of the stand-in over the real outbound client.
import { silentLog, systemClock } from "../../../src/base";
import { createEgress } from "../../../src/egress";
import { McpClient, type McpPeer, type PeerOptions, type Send } from "../../../src/mcp/client";

const egress = createEgress({
  allow: ["127.0.0.1", "localhost"],
  timeoutMs: 30_000,
  maxBytes: 20_000_000,
  log: silentLog,
});

export function sendTo(url: string, headers: Record<string, string> = {}): Send {
  return (request) =>
    egress.fetch(url, {
      ...request,
      headers: { ...headers, ...request.headers },
      secretsFor: [new URL(url).origin],
    });
}

export function peerOf(
  url: string,
  options: Partial<PeerOptions> = {},
  client: McpClient = new McpClient(systemClock),
): McpPeer {
  return client.peer({
    server: url,
    session: "alice",
    send: sendTo(url),
    capabilities: {},
    timeoutMs: 5000,
    ...options,
  });
}
