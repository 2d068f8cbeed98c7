// A stream of server-sent events: a reply with notifications before it, or the news of a stream that lasts; and keep-alives.

import type { Settings } from "../../src/config";

/** Most balancers close a connection after 60 s of silence, and this server may close it earlier. */
export const LONGEST_SILENCE_MS = 60_000;
const SHARE_OF_IDLE = 2 / 3;

/** After how long a silence a keep-alive is sent. */
export function longestSilenceMs({ "mcp.keep_alive": wanted, "http.idle_timeout": idle }: Settings): number {
  const closedAfter = idle === 0 ? Infinity : idle * 1000 * SHARE_OF_IDLE;
  return Math.min(wanted * 1000, LONGEST_SILENCE_MS, closedAfter);
}

const HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  // Keeps proxies from buffering the events.
  "x-accel-buffering": "no",
};
const ENCODER = new TextEncoder();
/** Events that wait for a client which reads slowly. */
const MOST_UNREAD = 16;

function eventOf(text: string): string {
  return `event: message\ndata: ${text}\n\n`;
}

export class EventStream {
  readonly #stream: ReadableStream<Uint8Array>;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #silence: ReturnType<typeof setInterval> | undefined;
  /** News for a client that has not read the events before, by their text. */
  readonly #unsent = new Map<string, string>();

  /** `onHangUp` is called when the client has hung up. */
  constructor(keepAliveMs: number, onHangUp: () => void) {
    this.#stream = new ReadableStream({
      start: (controller) => {
        this.#controller = controller;
      },
      pull: () => this.#sendRest(),
      cancel: () => {
        this.#end();
        onHangUp();
      },
    });
    this.#silence = setInterval(() => this.comment(), keepAliveMs);
  }

  message(text: string): void {
    this.#write(eventOf(text));
  }

  /** A message of a stream that lasts. A client that does not read gets it once, however often it is repeated. */
  news(text: string, id?: string): void {
    const event = id === undefined ? eventOf(text) : `id: ${id}\n${eventOf(text)}`;
    if (this.#isUnread) this.#unsent.set(text, event);
    else this.#write(event);
  }

  /** An event without a message, from which the client can resume the stream. */
  begin(id: string): void {
    this.#write(`id: ${id}\ndata:\n\n`);
  }

  /** A line that clients ignore. It keeps the connection open. */
  comment(): void {
    if (!this.#isUnread) this.#write(": still working\n\n");
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

  /** The client has not read the events before. */
  get #isUnread(): boolean {
    return (this.#controller?.desiredSize ?? 0) < -MOST_UNREAD;
  }

  #sendRest(): void {
    for (const event of this.#unsent.values()) this.#write(event);
    this.#unsent.clear();
  }

  #write(text: string): void {
    this.#controller?.enqueue(ENCODER.encode(text));
  }

  #end(): void {
    clearInterval(this.#silence);
    this.#unsent.clear();
    this.#controller = undefined;
  }
}
