// A reply as a stream of server-sent events: what goes ahead of it, signs of life, and the reply itself at the end.

const HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  // Proxies that collect answers would hold back what is to arrive at once.
  "x-accel-buffering": "no",
};
const ENCODER = new TextEncoder();

export class EventStream {
  readonly #stream: ReadableStream<Uint8Array>;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #silence: ReturnType<typeof setInterval> | undefined;

  /** `gone` is called when the client has hung up. */
  constructor(keepAliveMs: number, gone: () => void) {
    this.#stream = new ReadableStream({
      start: (controller) => {
        this.#controller = controller;
      },
      cancel: () => {
        this.#end();
        gone();
      },
    });
    this.#silence = setInterval(() => this.comment(), keepAliveMs);
  }

  message(text: string): void {
    this.#write(`event: message\ndata: ${text}\n\n`);
  }

  /** A line that clients skip: only the connection sees it. */
  comment(): void {
    this.#write(": still working\n\n");
  }

  close(): void {
    const controller = this.#controller;
    this.#end();
    controller?.close();
  }

  response(): Response {
    return new Response(this.#stream, { headers: HEADERS });
  }

  #write(text: string): void {
    this.#controller?.enqueue(ENCODER.encode(text));
  }

  #end(): void {
    clearInterval(this.#silence);
    this.#controller = undefined;
  }
}
