// HTTP on a loopback port with the raw request target: `Bun.serve` normalises addresses, which would hide mistakes with
// dots and slashes.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

export interface Arrival {
  readonly method: string;
  /** Path and query, raw. */
  readonly target: string;
  /** By lower-case name; repeated ones joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Milliseconds until it is sent. */
  readonly afterMs?: number;
}

/** `reset`: the connection breaks without an answer. */
export type Answer = Reply | "reset";

export interface Listener {
  readonly url: string;
  stop(): Promise<void>;
}

/** Rejects if the port is in use. Port 0: any free port. */
export async function listen(port: number, handle: (arrival: Arrival) => Answer): Promise<Listener> {
  const server = createServer((request, response) => {
    void answer(request, response, handle);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string")
    throw new Error("The sandbox does not listen on a port.");
  return {
    url: `http://127.0.0.1:${address.port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  handle: (arrival: Arrival) => Answer,
): Promise<void> {
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const reply = replyOf(handle, {
    method: request.method ?? "",
    target: request.url ?? "",
    headers: headersOf(request.rawHeaders),
    body: Buffer.concat(chunks).toString("utf8"),
  });
  if (reply === "reset") {
    request.socket.destroy();
    return;
  }
  if (reply.afterMs !== undefined && !(await delay(reply.afterMs, gone.signal))) return;
  response.writeHead(reply.status, { ...reply.headers });
  response.end(reply.body);
}

// A bug of the sandbox must not look like the platform's answer.
function replyOf(handle: (arrival: Arrival) => Answer, arrival: Arrival): Answer {
  try {
    return handle(arrival);
  } catch (error) {
    const body = `The records sandbox broke: ${error instanceof Error ? error.stack : String(error)}`;
    return { status: 599, headers: { "content-type": "text/plain" }, body };
  }
}

function headersOf(raw: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = (raw[at] ?? "").toLowerCase();
    const value = raw[at + 1] ?? "";
    headers[name] = name in headers ? `${headers[name]}, ${value}` : value;
  }
  return headers;
}

/** Waits; returns false if the caller disconnects first. */
async function delay(ms: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return false;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const onAbort = (): void => resolve();
  signal.addEventListener("abort", onAbort);
  await promise;
  clearTimeout(timer);
  signal.removeEventListener("abort", onAbort);
  return !signal.aborted;
}
