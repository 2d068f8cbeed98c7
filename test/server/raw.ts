// Requests as bytes on a socket: what no HTTP client would send, and answers as they came.
import { connect } from "node:net";

export interface RawAnswer {
  status: number;
  head: string;
  body: string;
}

/**
 * Sends the pieces one after the other, `pauseMs` apart, and reads until the server closes. Every request should say
 * `Connection: close`.
 */
export async function sendRaw(
  url: string,
  pieces: readonly (string | Buffer)[],
  pauseMs = 0,
): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  const { promise, resolve } = Promise.withResolvers<string>();
  const received: Uint8Array[] = [];
  const socket = connect(Number(port), hostname);
  const end = (): void => resolve(Buffer.concat(received).toString("latin1"));
  socket.on("data", (bytes) => received.push(Buffer.from(bytes)));
  socket.on("close", end);
  // A server that has answered may reset what is still being sent.
  socket.on("error", end);
  for (const piece of pieces) {
    if (socket.destroyed) break;
    socket.write(piece);
    if (pauseMs > 0) await Promise.race([Bun.sleep(pauseMs), promise]);
  }
  const text = await promise;
  socket.destroy();
  const [head = "", body = ""] = text.split(/\r\n\r\n(.*)/s);
  return { status: Number(head.split(" ")[1] ?? 0), head, body };
}

/** The head of a request. */
export function head(method: string, path: string, headers: Record<string, string> = {}): string {
  const lines = Object.entries({ host: "localhost", connection: "close", ...headers });
  return `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`;
}

/** One chunk of a chunked body. */
export function chunk(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
}
