// The conformance suite sends no credentials. This proxy adds them to every request and passes everything else on
// unchanged in both directions: Host, Origin, status, streams, disconnects.
import { createServer, request as send } from "node:http";

export interface Front extends AsyncDisposable {
  readonly url: string;
}

/** `headers`: added to each request. */
export async function startFront(target: string, headers: Readonly<Record<string, string>>): Promise<Front> {
  const { hostname, port } = new URL(target);
  const server = createServer((incoming, answer) => {
    const { method, url: path, headers: given } = incoming;
    const onward = send({ hostname, port, method, path, headers: { ...given, ...headers } }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      answer.flushHeaders();
      response.pipe(answer);
    });
    onward.on("error", () => answer.destroy());
    answer.on("close", () => onward.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const own = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${own}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
