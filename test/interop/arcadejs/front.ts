// A proxy between client and server with network faults: connections that break before or after the work.
import { connect, createServer } from "node:net";

/**
 * `refused`: the connection breaks before the server gets the request. `lost`: the server does the work, but its answer
 * never arrives. A text is sent as the raw HTTP answer.
 */
export type Fault = "refused" | "lost" | { answer: string };

export interface Front extends Disposable {
  url: string;
  /** The first line and headers of each received request, including those with faults. */
  heads: string[];
  /** Faults of the next connections, one each. Clients should not keep connections alive. */
  next(...faults: Fault[]): void;
}

export async function startFront(target: string): Promise<Front> {
  const { hostname, port } = new URL(target);
  const faults: Fault[] = [];
  const heads: string[] = [];
  const server = createServer((socket) => {
    const fault = faults.shift();
    socket.on("error", () => undefined);
    socket.once("data", (bytes) => {
      heads.push(bytes.toString("latin1").split("\r\n\r\n")[0] ?? "");
      if (fault === "refused") return void socket.destroy();
      if (typeof fault === "object") return void socket.end(fault.answer);
      const upstream = connect(Number(port), hostname);
      upstream.on("error", () => socket.destroy());
      upstream.write(bytes);
      socket.pipe(upstream);
      if (fault === undefined) return void upstream.pipe(socket);
      upstream.once("data", () => {
        socket.destroy();
        upstream.destroy();
      });
    });
  });
  const listening = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", listening.resolve);
  await listening.promise;
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`,
    heads,
    next: (...more) => void faults.push(...more),
    [Symbol.dispose]: () => void server.close(),
  };
}

/** The value of a header; undefined if it is missing. */
export function headerOf(head: string, name: string): string | undefined {
  return new RegExp(`^${name}: (.*)$`, "im").exec(head)?.[1];
}
