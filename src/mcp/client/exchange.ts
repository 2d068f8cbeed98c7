// One request and its answer: a POST, answered with JSON or with a stream of events in which notifications and requests of the
// server may come before the reply.
import { type Alarm, type JsonObject, type Redacted, setAlarm } from "../../base";
import { EventReader } from "./events";
import { BrokenAnswer, ProtocolError, ServerTimeout, StatusError } from "./failure";
import { errorIn, messageOf, parsed, resultOf, type ServerMessage } from "./message";
import { EVENT_TYPE, JSON_TYPE, mediaTypeOf, type Send } from "./send";

export type ServerRequest = Extract<ServerMessage, { kind: "request" }>;
export type Notification = Extract<ServerMessage, { kind: "notification" }>;

export interface Exchange {
  send: Send;
  id: number;
  method: string;
  params: JsonObject;
  headers: Readonly<Record<string, string | Redacted>>;
  /** For each part of the answer; a notification of progress starts it again. */
  timeoutMs: number;
  signal: AbortSignal | undefined;
  /** Whether a broken answer may be continued by a GET (revisions until 2025-11-25). */
  resumes: boolean;
  notified(notification: Notification): void;
  /** Resolves when the request is answered. Until then, no time passes for the server. */
  asked(request: ServerRequest): Promise<void>;
}

/** Requests of a server within one answer. More are not a conversation. */
const MOST_REQUESTS = 100;
const MOST_MESSAGES = 200_000;
const RETRY_MS = 1000;
const LONGEST_RETRY_MS = 10_000;
/** The beginning of the body of an error that is looked at. */
const EXCERPT = 2000;
/** How long a server may take to end a stream after its reply. */
const END_MS = 1000;

export interface Answer {
  result: JsonObject;
  headers: Headers;
}

/**
 * Sends a request and returns its result. Throws `ServerError`, `StatusError`, `ProtocolError`, `ServerTimeout`, and what `send`
 * throws.
 */
export async function exchange(call: Exchange): Promise<Answer> {
  const { send, id, method, params, headers, signal, timeoutMs } = call;
  const response = await send({
    method: "POST",
    headers: { accept: `${JSON_TYPE}, ${EVENT_TYPE}`, "content-type": JSON_TYPE, ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", id, method, params }),
    signal,
    timeoutMs,
    streams: true,
  });
  if (!response.ok) throw await refusalOf(response, id);
  return { result: await resultOfAnswer(call, response), headers: response.headers };
}

async function resultOfAnswer(call: Exchange, response: Response): Promise<JsonObject> {
  const type = mediaTypeOf(response);
  if (type === EVENT_TYPE && response.body !== null) return streamed(call, response.body);
  const text = await response.text();
  if (type !== JSON_TYPE && (type !== "" || text === "")) {
    throw new ProtocolError(
      text === ""
        ? "The server answered a request without a message."
        : "The server answered with something that is not JSON.",
    );
  }
  return replyIn(call, text, response.status);
}

/** What the status and its headers say counts, whatever message comes with it. */
const OF_STATUS = [401, 403, 429];

async function refusalOf(response: Response, id: number): Promise<Error> {
  const text = await response.text();
  const { status, headers } = response;
  const byStatus = new StatusError(status, headers, text.slice(0, EXCERPT));
  return OF_STATUS.includes(status) ? byStatus : (errorIn(text, id, status) ?? byStatus);
}

/** A JSON answer: one message, or a list of them (revision 2025-03-26). */
function replyIn(call: Exchange, text: string, status: number): JsonObject {
  const value = parsed(text, isList(call));
  const messages = (Array.isArray(value) ? value.slice(0, MOST_MESSAGES) : [value]).map(messageOf);
  for (const message of messages) {
    if (message.kind === "reply") return resultOf(message.reply, call.id, status);
    if (message.kind === "notification") call.notified(message);
  }
  throw new BrokenAnswer("The server ended its answer before the reply.");
}

function isList({ method }: Exchange): boolean {
  return method.endsWith("/list");
}

/** What is known of a stream when it ends before the reply. */
interface Place {
  lastId: string | undefined;
  retryMs: number;
}

async function streamed(call: Exchange, body: ReadableStream<Uint8Array>): Promise<JsonObject> {
  const place: Place = { lastId: undefined, retryMs: RETRY_MS };
  const budget = { messages: MOST_MESSAGES, requests: MOST_REQUESTS };
  try {
    return await resultIn(call, body, place, budget);
  } catch (thrown) {
    if (!call.resumes || place.lastId === undefined || !mayResume(call, thrown)) throw thrown;
  }
  await pause(Math.min(place.retryMs, LONGEST_RETRY_MS), call.signal);
  return resultIn(call, await resumed(call, place.lastId), place, budget);
}

// A stream that a server or the network ended; not one that we ended, and not one that says nonsense.
function mayResume({ signal }: Exchange, thrown: unknown): boolean {
  if (signal?.aborted === true) return false;
  if (thrown instanceof BrokenAnswer) return true;
  return thrown instanceof Error && "reason" in thrown && thrown.reason === "unreachable";
}

async function resumed(
  { send, headers, signal, timeoutMs }: Exchange,
  lastId: string,
): Promise<ReadableStream> {
  const broken = "The server ended its answer before the reply, and does not continue it.";
  const response = await send({
    method: "GET",
    headers: { accept: EVENT_TYPE, ...headers, "last-event-id": lastId },
    signal,
    timeoutMs,
    streams: true,
  });
  if (response.ok && mediaTypeOf(response) === EVENT_TYPE && response.body !== null) return response.body;
  await response.body?.cancel();
  throw new BrokenAnswer(broken);
}

type Budget = { messages: number; requests: number };

async function resultIn(
  call: Exchange,
  body: ReadableStream<Uint8Array>,
  place: Place,
  budget: Budget,
): Promise<JsonObject> {
  const reader = body.getReader();
  using time = new IdleTime(call.timeoutMs, () => void reader.cancel().catch(() => undefined));
  const events = new EventReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (time.isOver)
        throw new ServerTimeout(`The server did not finish within ${call.timeoutMs / 1000} s.`);
      if (done) throw new BrokenAnswer("The server ended its answer before the reply.");
      const result = resultAmong(call, { events, bytes: value, place, budget, time });
      if (result === undefined) continue;
      void drained(reader);
      return result;
    }
  } catch (thrown) {
    void reader.cancel().catch(() => undefined);
    throw thrown;
  }
}

interface Part {
  events: EventReader;
  bytes: Uint8Array;
  place: Place;
  budget: Budget;
  time: IdleTime;
}

/** The result in a part of a stream, after everything before it was handled; undefined if the reply is not in it. */
function resultAmong(call: Exchange, { events, bytes, place, budget, time }: Part): JsonObject | undefined {
  for (const { type, data, id, retryMs } of events.read(bytes)) {
    place.lastId = id ?? place.lastId;
    place.retryMs = retryMs ?? place.retryMs;
    if (data === "" || type !== "message") continue;
    if (--budget.messages < 0) throw new ProtocolError("The server sent too many messages before its reply.");
    const message = messageOf(parsed(data, isList(call)));
    if (message.kind === "reply") return resultOf(message.reply, call.id, 200);
    if (message.kind === "notification") {
      if (message.method === "notifications/progress") time.restart();
      call.notified(message);
    } else {
      if (--budget.requests < 0)
        throw new ProtocolError("The server sent too many requests before its reply.");
      time.pause(call.asked(message));
    }
  }
  return undefined;
}

interface Draining {
  read(): Promise<{ done: boolean }>;
  cancel(): Promise<void>;
}

/** Reads a stream to its end, so that its connection can be used again; or closes it, if the server does not end it. */
async function drained(reader: Draining): Promise<void> {
  const alarm = setAlarm(END_MS, () => void reader.cancel().catch(() => undefined));
  try {
    const { done } = await reader.read();
    if (!done) await reader.cancel();
  } catch {
    // The reply is complete.
  } finally {
    alarm.cancel();
  }
}

/** Ends a wait for a server that sends nothing of worth: comments that keep a connection open do not count. */
class IdleTime {
  readonly #ms: number;
  readonly #end: () => void;
  #alarm: Alarm;
  #over = false;
  #pauses = 0;
  #isDisposed = false;

  constructor(ms: number, end: () => void) {
    this.#ms = ms;
    this.#end = end;
    this.#alarm = setAlarm(ms, this.#ring);
  }

  get isOver(): boolean {
    return this.#over;
  }

  restart(): void {
    this.#alarm.cancel();
    if (this.#pauses > 0) return;
    this.#alarm = setAlarm(this.#ms, this.#ring);
  }

  /** Until something is done. */
  pause(until: Promise<void>): void {
    this.#pauses++;
    this.#alarm.cancel();
    const go = (): void => {
      if (--this.#pauses === 0 && !this.#isDisposed) this.restart();
    };
    until.then(go, go);
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#alarm.cancel();
  }

  readonly #ring = (): void => {
    this.#over = true;
    this.#end();
  };
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const abort = (): void => reject(new BrokenAnswer("The request was cancelled."));
  signal?.addEventListener("abort", abort, { once: true });
  return promise.finally(() => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  });
}
