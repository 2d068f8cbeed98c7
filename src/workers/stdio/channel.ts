// Messages of one program: what it writes is handed to the requests that it belongs to. On standard output nothing else says which
// request a message is about, so a question or a log message is passed on only if there is one request that it can be about.
import { isObject, type Json, type JsonObject, parseJson, setAlarm } from "../../base";
import { METHOD_NOT_FOUND, ProtocolError } from "../../mcp";
import { LineTooLong, readLines } from "./lines";
import type { ProcessEnd, RunningProgram } from "./programs";

/** A request that waits for its reply. */
interface Waiting {
  method: string;
  take(line: string): void;
  end(error?: Error): void;
}

export interface ChannelParts {
  /** Whether all users share the program: a message is then never guessed to be about one of them. */
  shared: boolean;
  /** The program says that its lists have changed. */
  changed(): void;
}

const LIST_CHANGED = /^notifications\/(?:tools|prompts|resources)\/list_changed$/;

export class Channel {
  readonly program: RunningProgram;
  /** The program has written something, or has ended. */
  readonly first: Promise<void>;
  /** Whether the program has written something. */
  hasSpoken = false;
  /** The result of `initialize`, which a program gets once. */
  initialized: JsonObject | undefined;
  /** Whether it has been told that it is initialized. */
  isGreeted = false;
  end: ProcessEnd | undefined;
  readonly #parts: ChannelParts;
  readonly #waiting = new Map<Json, Waiting>();
  #failure: Error | undefined;

  constructor(program: RunningProgram, parts: ChannelParts) {
    this.program = program;
    this.#parts = parts;
    const first = Promise.withResolvers<void>();
    this.first = first.promise;
    const reading = readLines(program.output, (line) => {
      this.hasSpoken = true;
      first.resolve();
      this.#take(line);
    }).catch((thrown: unknown) => {
      if (thrown instanceof LineTooLong)
        this.#failure = new ProtocolError("The program wrote a line of more than 16 MB, and was ended.");
      void program.end();
    });
    void program.ended.then(async (end) => {
      this.end = end;
      // A program may answer and end at once.
      await soon(reading);
      first.resolve();
      const error =
        this.#failure ?? new ProtocolError(`The program ended ${howEnded(end)} before its reply.`);
      for (const waiting of this.#waiting.values()) waiting.end(error);
      this.#waiting.clear();
    });
  }

  /** The number of requests that wait for their replies. */
  get size(): number {
    return this.#waiting.size;
  }

  /** Sends a message that has no reply. */
  async send(message: string): Promise<void> {
    await this.program.write(message);
  }

  /** Sends a request. The stream has the messages that belong to it, as events, up to its reply. */
  request(
    id: Json,
    method: string,
    message: string,
  ): { messages: ReadableStream<Uint8Array>; cancel(error: Error): void } {
    const encoder = new TextEncoder();
    let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
    const end = (error?: Error): void => {
      this.#waiting.delete(id);
      if (controller === undefined) return;
      const open = controller;
      controller = undefined;
      if (error === undefined) open.close();
      else open.error(error);
    };
    const messages = new ReadableStream<Uint8Array>({
      start: (given) => {
        controller = given;
      },
      cancel: () => {
        controller = undefined;
        this.#waiting.delete(id);
      },
    });
    // Outside of texts, a carriage return is a space.
    const take = (line: string): void =>
      controller?.enqueue(encoder.encode(`data: ${line.replaceAll("\r", " ")}\n\n`));
    this.#waiting.set(id, { method, take, end });
    this.program
      .write(message)
      .catch(() => end(this.#failure ?? new ProtocolError("The program has ended.")));
    return { messages, cancel: end };
  }

  #take(line: string): void {
    const value = read(line);
    // One that cannot be read, such as one that is nested too deeply: its request says why.
    if (value === undefined && line.startsWith("{") && line.includes('"jsonrpc"')) this.#only()?.take(line);
    // Programs also print other text.
    const messages = Array.isArray(value) ? value : [value];
    for (const message of messages) {
      if (isObject(message))
        this.#dispatch(message as JsonObject, messages.length === 1 ? line : JSON.stringify(message));
    }
  }

  #dispatch(message: JsonObject, line: string): void {
    const { id, method, params } = message;
    if (typeof method !== "string") {
      const waiting = this.#waiting.get(id ?? null);
      if (waiting === undefined) return;
      const { result } = message;
      if (waiting.method === "initialize" && isObject(result)) this.initialized = result as JsonObject;
      waiting.take(line);
      waiting.end();
    } else if (id === undefined) this.#notified(method, isObject(params) ? params : {}, line);
    else this.#asked(id, method, line);
  }

  #notified(method: string, params: { [key: string]: unknown }, line: string): void {
    if (LIST_CHANGED.test(method)) this.#parts.changed();
    // The token of a request is its id.
    const token = params["progressToken"];
    const about =
      method === "notifications/progress" && (typeof token === "number" || typeof token === "string")
        ? this.#waiting.get(token)
        : this.#only();
    about?.take(line);
  }

  #asked(id: Json, method: string, line: string): void {
    const about = method === "ping" ? undefined : this.#only();
    if (about !== undefined) {
      about.take(line);
      return;
    }
    const answer =
      method === "ping" ? { result: {} } : { error: { code: METHOD_NOT_FOUND, message: "Method not found" } };
    void this.send(JSON.stringify({ jsonrpc: "2.0", id, ...answer })).catch(() => undefined);
  }

  /** The request that a message without a reference is about. Of a user's own program, the latest call. */
  #only(): Waiting | undefined {
    const calls = [...this.#waiting.values()];
    return calls.length === 1 || !this.#parts.shared ? calls.at(-1) : undefined;
  }
}

const REST_MS = 1000;

/** Resolves when the rest of its output is read, or after a while. */
async function soon(reading: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<void>();
  const alarm = setAlarm(REST_MS, late.resolve);
  await Promise.race([reading, late.promise]);
  alarm.cancel();
}

function read(line: string): Json | undefined {
  try {
    return parseJson(line);
  } catch {
    return undefined;
  }
}

export function howEnded({ code, signal, reason }: ProcessEnd): string {
  if (reason !== undefined) return `(${reason})`;
  return signal === null ? `with exit code ${code ?? "unknown"}` : `by ${signal}`;
}
