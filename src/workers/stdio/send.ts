// Speaks to a program as if it were a server over HTTP, so that families, sessions, questions, progress, cancellation and repeats
// are the same code (`src/mcp/client`). A process is a session: its id is that of the start, and a request to one that has ended
// finds no session.
import { isObject, type Json, parseJson, reveal, setAlarm } from "../../base";
import { EgressError } from "../../egress";
import type { Send } from "../../mcp";
import type { Channel } from "./channel";

type ClientRequest = Parameters<Send>[0];

/** How a process is reached. */
export interface Reached {
  /** The one that runs; undefined if there is none. */
  running(): Channel | undefined;
  /** The one that runs, or a new one. Rejects with `EgressError`. */
  open(signal: AbortSignal | undefined): Promise<Channel>;
  /** Rejects if nothing may be sent any more. */
  fence?: (() => Promise<void>) | undefined;
}

/** How long the first words of a program may take: it may have to download its packages. */
const START_MS = 120_000;
/** Some programs say nothing to a request that they do not know. They are then asked with `initialize`. */
const DISCOVER_MS = 10_000;

const EVENTS = { "content-type": "text/event-stream" };
const SESSION = "mcp-session-id";

export function stdioSend(reached: Reached): Send {
  return async (request) => {
    // A program has no stream of its own, and its process ends by other rules.
    if (request.method !== "POST") return new Response(null, { status: 405 });
    const message = parseJson(request.body ?? "null");
    if (!isObject(message)) throw new TypeError("the message is not an object");
    const { id, method } = message;
    await reached.fence?.();
    if (typeof method !== "string" || id === undefined) return told(reached, request, method);
    const channel = await channelFor(reached, request);
    if (channel === undefined) return new Response(null, { status: 404 });
    if (method === "initialize") return begun(channel, request, id as Json);
    const body = asked(channel, request, id as Json, method);
    if (method !== "server/discover") return new Response(body, { headers: EVENTS });
    await spoken(channel, request.signal, DISCOVER_MS);
    if (channel.hasSpoken && channel.end === undefined) return new Response(body, { headers: EVENTS });
    await body.cancel().catch(() => undefined);
    return new Response(null, { status: 400 });
  };
}

/** A message without a reply. One that was meant for a process that has ended is of no use to another. */
async function told(reached: Reached, request: ClientRequest, method: unknown): Promise<Response> {
  const channel = reached.running();
  if (channel !== undefined && [undefined, channel.program.id].includes(sessionOf(request))) {
    const isGreeting = method === "notifications/initialized";
    if (!isGreeting || !channel.isGreeted) await channel.send(request.body ?? "").catch(() => undefined);
    channel.isGreeted ||= isGreeting;
  }
  return new Response(null, { status: 202 });
}

/** A program is greeted once, also if what is known of its session was forgotten. */
async function begun(channel: Channel, request: ClientRequest, id: Json): Promise<Response> {
  const { initialized, program } = channel;
  const session = { [SESSION]: program.id };
  if (initialized !== undefined) {
    const reply = { jsonrpc: "2.0", id, result: initialized };
    return new Response(JSON.stringify(reply), {
      headers: { ...session, "content-type": "application/json" },
    });
  }
  const body = asked(channel, request, id, "initialize");
  await spoken(channel, request.signal, START_MS);
  return new Response(body, { headers: { ...session, ...EVENTS } });
}

/** The process of the settings as they are now; undefined if the session is one of a process that has ended. */
async function channelFor(reached: Reached, request: ClientRequest): Promise<Channel | undefined> {
  const session = sessionOf(request);
  const channel = await untilAborted(reached.open(request.signal), request.signal);
  return session === undefined || session === channel.program.id ? channel : undefined;
}

function asked(
  channel: Channel,
  { body, signal }: ClientRequest,
  id: Json,
  method: string,
): ReadableStream<Uint8Array> {
  if (signal?.aborted === true) throw aborted(false);
  const { messages, cancel } = channel.request(id, method, body ?? "");
  signal?.addEventListener("abort", () => cancel(aborted(true)), { once: true });
  return messages;
}

/** Resolves when the program has written something or has ended, or when the time is over. */
async function spoken(channel: Channel, signal: AbortSignal | undefined, ms: number): Promise<void> {
  const over = Promise.withResolvers<void>();
  const alarm = setAlarm(ms, over.resolve);
  signal?.addEventListener("abort", () => over.resolve(), { once: true });
  await Promise.race([channel.first, over.promise]);
  alarm.cancel();
}

/** The channel, unless the caller leaves first: the process is then there for the next call. */
function untilAborted(opening: Promise<Channel>, signal: AbortSignal | undefined): Promise<Channel> {
  if (signal === undefined) return opening;
  const left = Promise.withResolvers<never>();
  const leave = (): void => left.reject(aborted(false));
  signal.addEventListener("abort", leave, { once: true });
  if (signal.aborted) leave();
  opening.catch(() => undefined);
  return Promise.race([opening, left.promise]).finally(() => signal.removeEventListener("abort", leave));
}

function sessionOf({ headers }: ClientRequest): string | undefined {
  const value = headers[SESSION];
  return value === undefined ? undefined : reveal(value);
}

function aborted(maybeSent: boolean): EgressError {
  return new EgressError("aborted", "The request was aborted.", { maybeSent });
}
