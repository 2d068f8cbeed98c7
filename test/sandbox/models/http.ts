// A scripted HTTP server over plain sockets: a script sends every byte, splits answers anywhere and resets
// connections. One request per connection.
import { createServer, type Socket } from "node:net";

/** A received request. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The parsed body; undefined if it is not JSON. */
  readonly body: unknown;
  /** Resolves when the client has closed the connection. */
  readonly closed: Promise<void>;
}

/** The operations of a script. */
export interface Reply {
  /** Sends a whole answer with its length. */
  send(status: number, headers: Record<string, string>, body: string | Uint8Array): void;
  json(status: number, value: unknown, headers?: Record<string, string>): void;
  /** Starts a chunked answer. */
  head(status: number, headers: Record<string, string>): void;
  /** One chunk. */
  write(piece: string | Uint8Array): void;
  /** Ends a chunked answer. */
  end(): void;
  /** Resets the connection. */
  reset(): void;
  /** Closes the connection without the last chunk, like a process that exits. */
  close(): void;
}

export type Script = (exchange: Exchange, reply: Reply) => void | Promise<void>;

export interface ScriptedServer extends AsyncDisposable {
  readonly origin: string;
  readonly exchanges: Exchange[];
}

export async function startScriptedServer(script: Script): Promise<ScriptedServer> {
  const exchanges: Exchange[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    const closed = Promise.withResolvers<void>();
    socket.on("error", () => undefined);
    socket.on("close", () => {
      sockets.delete(socket);
      closed.resolve();
    });
    let received = Buffer.alloc(0);
    let seen = false;
    socket.on("data", (piece) => {
      received = Buffer.concat([received, Buffer.from(piece)]);
      const request = seen ? undefined : requestOf(received);
      if (request === undefined) return;
      seen = true;
      const exchange = { ...request, closed: closed.promise };
      exchanges.push(exchange);
      void Promise.resolve(script(exchange, replyTo(socket))).catch(() => socket.destroy());
    });
  });
  const listening = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", listening.resolve);
  await listening.promise;
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    origin: `http://127.0.0.1:${address.port}`,
    exchanges,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function requestOf(received: Buffer): Omit<Exchange, "closed"> | undefined {
  const end = received.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const [line = "", ...lines] = received.subarray(0, end).toString("latin1").split("\r\n");
  const headers = Object.fromEntries(
    lines.map((one) => [
      one.slice(0, one.indexOf(":")).toLowerCase(),
      one.slice(one.indexOf(":") + 1).trim(),
    ]),
  );
  const body = received.subarray(end + 4);
  if (body.byteLength < Number(headers["content-length"] ?? 0)) return undefined;
  const [method = "", path = ""] = line.split(" ");
  const text = body.toString("utf8");
  return { method, path, headers, text, body: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function replyTo(socket: Socket): Reply {
  const head = (status: number, headers: Record<string, string>): void => {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`HTTP/1.1 ${status} Scripted\r\n${lines.join("")}connection: close\r\n\r\n`);
  };
  const send: Reply["send"] = (status, headers, body) => {
    head(status, { ...headers, "content-length": String(Buffer.byteLength(body)) });
    socket.end(body);
  };
  return {
    send,
    json: (status, value, headers = {}) =>
      send(status, { "content-type": "application/json", ...headers }, JSON.stringify(value)),
    head: (status, headers) => head(status, { ...headers, "transfer-encoding": "chunked" }),
    write: (piece) => {
      const bytes = Buffer.from(piece);
      if (bytes.byteLength > 0)
        socket.write(
          Buffer.concat([Buffer.from(`${bytes.byteLength.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]),
        );
    },
    end: () => void socket.end("0\r\n\r\n"),
    reset: () => void socket.resetAndDestroy(),
    close: () => void socket.end(),
  };
}
