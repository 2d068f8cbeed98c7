// A reply as a stream of server-sent events: notifications, keep-alives, and the reply at the end.

const HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  // Keeps proxies from buffering the events.
  "x-accel-buffering": "no",
};
const ENCODER = new TextEncoder();

export class EventStream {
  readonly #stream: ReadableStream<Uint8Array>;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #silence: ReturnType<typeof setInterval> | undefined;

  /** `onHangUp` is called when the client has hung up. */
  constructor(keepAliveMs: number, onHangUp: () => void) {
    this.#stream = new ReadableStream({
      start: (controller) => {
        this.#controller = controller;
      },
      cancel: () => {
        this.#end();
        onHangUp();
      },
    });
    this.#silence = setInterval(() => this.comment(), keepAliveMs);
  }

  message(text: string): void {
    this.#write(`event: message\ndata: ${text}\n\n`);
  }

  /** A line that clients ignore. It keeps the connection open. */
  comment(): void {
    this.#write(": still working\n\n");
  }

  close(): void {
    const controller = this.#controller;
    this.#end();
    controller?.close();
  }

  /** With the status and session of a reply that is the only message. */
  response({ status, sessionId }: { status?: number; sessionId?: string } = {}): Response {
    const response = new Response(this.#stream, {
      headers: HEADERS,
      ...(status === undefined ? {} : { status }),
    });
    if (sessionId !== undefined) response.headers.set("mcp-session-id", sessionId);
    return response;
  }

  #write(text: string): void {
    this.#controller?.enqueue(ENCODER.encode(text));
  }

  #end(): void {
    clearInterval(this.#silence);
    this.#controller = undefined;
  }
}
