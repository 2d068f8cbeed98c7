// Peers on loopback and an egress for the tests; everything ends with its `using` block.
import { createServer, type Socket } from "node:net";
import {
  createLog,
  type LogFields,
  type LogOptions,
  silentLog,
  systemClock,
  unsafePrintSecrets,
} from "../../src/base";
import { createEgress, type Egress, EgressError, type EgressOptions } from "../../src/egress";

/** An egress that may call loopback unless the test says otherwise. */
export function egressWith(options: Partial<EgressOptions> = {}): Egress {
  return createEgress({
    allow: ["loopback"],
    timeoutMs: 3_000,
    maxBytes: 1_048_576,
    log: silentLog,
    ...options,
  });
}

export interface RawPeer extends Disposable {
  port: number;
  /** Everything received, one text per piece. */
  received: string[];
  connections: number;
}

/** A TCP server that answers each piece it receives as the function says. */
export async function rawPeer(
  answer: (socket: Socket, piece: string, peer: RawPeer) => void,
  hostname = "127.0.0.1",
): Promise<RawPeer> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    peer.connections++;
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
    socket.on("data", (piece) => {
      peer.received.push(piece.toString("latin1"));
      answer(socket, piece.toString("latin1"), peer);
    });
  });
  const listening = Promise.withResolvers<void>();
  server.listen(0, hostname, listening.resolve);
  await listening.promise;
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const peer: RawPeer = {
    port: address.port,
    received: [],
    connections: 0,
    [Symbol.dispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
  return peer;
}

export interface WebPeer extends Disposable {
  port: number;
  origin: string;
  requests: { method: string; path: string; headers: Headers; body: string }[];
}

/** An HTTP server that remembers what it was asked. */
export function webPeer(
  answer: (request: Request, peer: WebPeer) => Response | Promise<Response>,
  hostname = "127.0.0.1",
): WebPeer {
  const server = Bun.serve({
    port: 0,
    hostname,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      peer.requests.push({
        method: request.method,
        path: pathname + search,
        headers: request.headers,
        body: await request.text(),
      });
      return answer(request, peer);
    },
  });
  const port = server.port ?? 0;
  const peer: WebPeer = {
    port,
    origin: `http://${hostname}:${port}`,
    requests: [],
    [Symbol.dispose]: () => void server.stop(true),
  };
  return peer;
}

/** The `EgressError` of a call that must fail. */
export async function failureOf(call: Promise<Response>): Promise<EgressError> {
  const thrown: unknown = await call.then(
    (response) => new Error(`answered ${response.status}`),
    (error: unknown) => error,
  );
  if (thrown instanceof EgressError) return thrown;
  throw thrown;
}

/** Everything that a log would show of an error. */
export function printed(error: EgressError): string {
  const lines: string[] = [];
  logTo(lines).error("failed", { error });
  return lines.join("\n") + String(error.stack) + Bun.inspect(error);
}

export function logTo(lines: string[], printSecrets = false) {
  const options: LogOptions = { level: "debug", clock: systemClock, write: (line) => void lines.push(line) };
  return createLog(printSecrets ? { ...options, [unsafePrintSecrets]: true } : options);
}

export function fieldsOf(line: string | undefined): LogFields {
  return JSON.parse(line ?? "{}");
}

/** A resolver that knows these names only. */
export function names(table: Record<string, string[]>): (host: string) => Promise<string[]> {
  return (host) => {
    const addresses = table[host];
    return addresses === undefined ? Promise.reject(new Error("ENOTFOUND")) : Promise.resolve(addresses);
  };
}

export const httpOk = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
