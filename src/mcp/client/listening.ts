// The stream on which a server with sessions may send requests that belong to no answer (GET). It is open only while a call
// goes on whose client can be asked: several servers ask there.
import { type Redacted, setAlarm } from "../../base";
import { EventReader } from "./events";
import { messageOf, parsed } from "./message";
import type { ServerRequest } from "./exchange";
import { EVENT_TYPE, mediaTypeOf, type Send } from "./send";

export interface Listening {
  send: Send;
  headers: Readonly<Record<string, string | Redacted>>;
  timeoutMs: number;
  signal: AbortSignal | undefined;
  asked(request: ServerRequest): void;
}

/** Requests on one stream. */
const MOST_REQUESTS = 100;

/** How long a call waits for its stream. Some servers open one only with the first message. */
const OPEN_MS = 300;

/** Resolves when the stream is open, refused, or late. It ends when it is disposed of. */
export async function listen(options: Listening): Promise<Disposable> {
  const end = new AbortController();
  const late = Promise.withResolvers<void>();
  const alarm = setAlarm(OPEN_MS, late.resolve);
  await Promise.race([opened(options, end.signal), late.promise]);
  alarm.cancel();
  return { [Symbol.dispose]: () => end.abort() };
}

async function opened(options: Listening, end: AbortSignal): Promise<void> {
  const { send, headers, timeoutMs, signal } = options;
  const ended = signal === undefined ? end : AbortSignal.any([signal, end]);
  try {
    const response = await send({
      method: "GET",
      headers: { accept: EVENT_TYPE, ...headers },
      signal: ended,
      timeoutMs,
      streams: true,
    });
    const isStream = response.ok && mediaTypeOf(response) === EVENT_TYPE;
    if (isStream && response.body !== null) void read(response.body, options).catch(() => undefined);
    else await response.body?.cancel();
  } catch {
    // Servers need not have one.
  }
}

async function read(body: AsyncIterable<Uint8Array>, { asked }: Listening): Promise<void> {
  const events = new EventReader();
  let left = MOST_REQUESTS;
  for await (const bytes of body) {
    for (const { type, data } of events.read(bytes)) {
      if (data === "" || type !== "message") continue;
      const message = messageOf(parsed(data));
      if (message.kind !== "request") continue;
      if (left-- === 0) return;
      asked(message);
    }
  }
}
