// What both examples share: a small server that answers the questions of `runtime`, after it has made sure that they
// come from there.
import { Webhook, WebhookVerificationError } from "standardwebhooks";

export interface ReceiverOptions {
  /** 0: any free port. */
  port: number;
  /** The plugin's `signing_secret`. Without one anybody who reaches this server may ask it. */
  secret?: string | undefined;
}

export interface Receiver {
  url: string;
  stop(): Promise<void>;
}

/** Answers `POST /{point}` with what `answers[point]` says, and `GET /health`. */
export function receive(
  { port, secret }: ReceiverOptions,
  answers: Readonly<Record<string, (question: unknown) => object>>,
): Receiver {
  const webhook = secret === undefined ? undefined : new Webhook(secret);
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port,
    async fetch(request) {
      const point = new URL(request.url).pathname.slice(1);
      if (request.method === "GET" && point === "health") return Response.json({ status: "healthy" });
      const answer = request.method === "POST" ? answers[point] : undefined;
      if (answer === undefined) return refuse(404, "there is nothing here");
      const text = await request.text();
      try {
        webhook?.verify(text, Object.fromEntries(request.headers));
      } catch (error) {
        if (error instanceof WebhookVerificationError) return refuse(401, "the signature is not right");
        throw error;
      }
      return Response.json(answer(JSON.parse(text)));
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, stop: () => server.stop(true) };
}

// Whatever is no answer: `runtime` does then what the hook's failure mode says.
function refuse(status: number, error: string): Response {
  return Response.json({ error, code: status }, { status });
}
