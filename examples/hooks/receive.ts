// Shared by both examples: a small HTTP server that verifies that a request comes from `runtime` and responds to it.
import { Webhook, WebhookVerificationError } from "standardwebhooks";

export interface ReceiverOptions {
  /** 0: any free port. */
  port: number;
  /** The plugin's `signing_secret`. If undefined, requests are not verified. */
  secret?: string | undefined;
}

export interface Receiver {
  url: string;
  stop(): Promise<void>;
}

/** Responds to `POST /{point}` with the result of `handlers[point]`, and to `GET /health`. */
export function receive(
  { port, secret }: ReceiverOptions,
  handlers: Readonly<Record<string, (request: unknown) => object>>,
): Receiver {
  const webhook = secret === undefined ? undefined : new Webhook(secret);
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port,
    async fetch(request) {
      const point = new URL(request.url).pathname.slice(1);
      if (request.method === "GET" && point === "health") return Response.json({ status: "healthy" });
      const handler = request.method === "POST" ? handlers[point] : undefined;
      if (handler === undefined) return refuse(404, "not found");
      const text = await request.text();
      try {
        webhook?.verify(text, Object.fromEntries(request.headers));
      } catch (error) {
        if (error instanceof WebhookVerificationError) return refuse(401, "invalid signature");
        throw error;
      }
      return Response.json(handler(JSON.parse(text)));
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, stop: () => server.stop(true) };
}

// `runtime` applies the hook's failure mode to a response with an error status.
function refuse(status: number, error: string): Response {
  return Response.json({ error, code: status }, { status });
}
