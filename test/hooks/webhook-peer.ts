// A webhook server for tests, with configurable answers; it records the requests.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

export interface Asked {
  /** The path without its slash: `access`, `pre`, `post`, … */
  path: string;
  method: string;
  headers: Record<string, string>;
  text: string;
  /** The JSON of the body. */
  body: Record<string, unknown>;
}

export type Respond = (asked: Asked, response: ServerResponse, request: IncomingMessage) => unknown;

export interface WebhookPeer extends Disposable {
  /** Without a trailing slash. */
  url: string;
  asked: Asked[];
  /** The behaviour from now on; default: answers OK. A returned value is sent as JSON. */
  respond: Respond;
  /** The number of requests for a path. */
  count(path: string): number;
}

const OK = { code: "OK" };

export async function webhookPeer(): Promise<WebhookPeer> {
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => void answer(request, response, Buffer.concat(pieces).toString()));
    request.on("error", () => undefined);
    response.on("error", () => undefined);
  });
  const answer = async (request: IncomingMessage, response: ServerResponse, text: string): Promise<void> => {
    const asked: Asked = {
      path: (request.url ?? "").slice(1),
      method: request.method ?? "",
      headers: Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
      ),
      text,
      body: text === "" ? {} : JSON.parse(text),
    };
    peer.asked.push(asked);
    const value = await peer.respond(asked, response, request);
    if (value !== undefined) json(response, 200, value);
  };
  const listening = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", listening.resolve);
  await listening.promise;
  const address = server.address();
  const port = address !== null && typeof address === "object" ? address.port : 0;
  const peer: WebhookPeer = {
    url: `http://127.0.0.1:${port}`,
    asked: [],
    respond: () => OK,
    count: (path) => peer.asked.filter((one) => one.path === path).length,
    [Symbol.dispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
  return peer;
}

export function json(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

/** Behaviours without a usable answer, by name. */
export const FAULTS: Readonly<Record<string, Respond>> = {
  timeout: () => undefined,
  "4xx": (_asked, response) => json(response, 403, { code: "OK" }),
  "5xx": (_asked, response) => json(response, 503, { code: "OK" }),
  reset: (_asked, _response, request) => void request.socket.destroy(),
  HTML: (_asked, response) => {
    response.writeHead(200, { "content-type": "text/html" });
    response.end("<html><body>Everything is fine.</body></html>");
  },
  huge: (_asked, response) => {
    response.on("close", () => undefined);
    response.writeHead(200, {
      "content-type": "application/json",
      "content-length": String(32 * 1024 * 1024),
    });
    response.write('{"code":"OK","x":"');
  },
  redirect: (asked, response) => {
    response.writeHead(307, { location: `/elsewhere/${asked.path}` });
    response.end();
  },
};
