// Sends one request over a socket and streams the response. Bun's `fetch` receives about a megabyte more of
// a body than is read, for each response; here, nothing is received that is not read.
import type { Address } from "../address";
import { type Outgoing, revealBody, revealHeaders } from "../outgoing";
import { checkStatus, portOf, type Target } from "../target";
import type { Trust } from "../tls";
import { type Connection, openConnection } from "./connection";
import { decoded } from "./decode";
import { framingOf, type Framing } from "./framing";
import { HeadReader, type ResponseHead } from "./head";
import type { ConnectionPool } from "./pool";

/** Rejects with the error of the engine, `MalformedResponse`, or `EgressError` for an invalid status. */
export async function sendStreaming(
  target: Target,
  address: Address,
  outgoing: Outgoing,
  signal: AbortSignal,
  { trust, pool }: { trust: Trust; pool: ConnectionPool },
): Promise<Response> {
  const isSecured = target.url.protocol === "https:";
  const to = {
    address: address.text,
    port: portOf(target.url),
    trust: isSecured ? trust : undefined,
  };
  const connection = pool.take(to, signal) ?? (await openConnection(to, signal));
  try {
    connection.write(requestBytes(target, outgoing));
    const { head, rest } = await readHead(connection);
    checkStatus(target, head.status);
    const isKept = keepsOpen(head);
    const done = (): void => (isKept ? pool.put(connection) : connection.close());
    const body = bodyOf(connection, framingOf(head), rest, done);
    return new Response(decoded(body, head.headers), head);
  } catch (thrown) {
    connection.close();
    throw thrown;
  }
}

function requestBytes(target: Target, { method, headers, body }: Outgoing): Uint8Array {
  const { pathname, search, host } = target.url;
  const content = Buffer.from(body === undefined ? "" : revealBody(body));
  const sent = revealHeaders(headers);
  sent.set("host", host);
  sent.set("accept-encoding", "identity");
  if (!sent.has("accept")) sent.set("accept", "*/*");
  if (!sent.has("user-agent")) sent.set("user-agent", `Bun/${Bun.version}`);
  if (body !== undefined) sent.set("content-length", String(content.byteLength));
  const lines = [...sent].map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return Buffer.concat([
    Buffer.from(`${method} ${pathname}${search} HTTP/1.1\r\n${lines}\r\n`, "latin1"),
    content,
  ]);
}

async function readHead(connection: Connection): Promise<{ head: ResponseHead; rest: Uint8Array }> {
  const reader = new HeadReader();
  for (;;) {
    const piece = await connection.read();
    if (piece === undefined) throw incomplete();
    const found = reader.add(piece);
    if (found !== undefined) return found;
  }
}

/** Whether the server keeps the connection open (RFC 9112, section 9.3). */
function keepsOpen({ headers, isOld }: ResponseHead): boolean {
  const options = headers.get("connection")?.toLowerCase().split(",") ?? [];
  return !isOld && !options.some((option) => option.trim() === "close");
}

/** `done`: called when the body was read to its end, and nothing followed. */
function bodyOf(
  connection: Connection,
  framing: Framing,
  rest: Uint8Array,
  done: () => void,
): ReadableStream<Uint8Array> | null {
  const first = framing.add(rest);
  if (framing.isComplete && first.length === 0) {
    if (framing.isClean) done();
    else connection.close();
    return null;
  }
  const waiting = [...first];
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        while (waiting.length === 0 && !framing.isComplete) {
          // Throws what was wrong after the last bytes.
          framing.add(NOTHING);
          const piece = await connection.read();
          if (piece === undefined) {
            if (!framing.ended()) throw incomplete();
            break;
          }
          waiting.push(...framing.add(piece));
        }
        const next = waiting.shift();
        if (next !== undefined) return controller.enqueue(next);
        if (framing.isClean) done();
        else connection.close();
        controller.close();
      },
      cancel: () => connection.close(),
    },
    // No read-ahead.
    { highWaterMark: 0 },
  );
}

const NOTHING = new Uint8Array();

function incomplete(): Error {
  return Object.assign(new Error("The response is incomplete."), { code: "ECONNRESET" });
}
