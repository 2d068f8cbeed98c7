// Decides what an event of a model's stream is: a chunk, something to skip, an error, or the end. The only such place,
// for streams that are passed through and for turns that this server reads.
import { isObject, parseJsonPiece } from "../../base";
import { errorIn } from "./error-record";
import type { ServerEvent } from "./read-events";

type Loose = { [field: string]: unknown };

/** The errors for the caller. */
export interface StreamFaults {
  /** The stream contains this error. */
  refused(error: unknown): Error;
  /** The stream is not one of the protocol, or incomplete. */
  unreadable(what: string): Error;
}

export interface StreamReader {
  /** Whether an event of the protocol was read. */
  readonly hasBegun: boolean;
  /** Whether the end of the protocol was read. Nothing after it counts. */
  readonly isOver: boolean;
  /** The chunk of an event; undefined if there is nothing in it. Throws the error for the caller. */
  read(event: ServerEvent): Loose | undefined;
  /** Throws the error for the caller if the bytes must not end here. */
  finish(): void;
}

/** For chat completions: the end is `[DONE]` after content or calls, or a finish reason for each choice. */
export class ChatReader implements StreamReader {
  readonly #faults: StreamFaults;
  readonly #open = new Set<unknown>();
  /** Whether the model said anything. */
  #hasContent = false;
  #isFinished = false;
  #isOver = false;
  #hasBegun = false;

  constructor(faults: StreamFaults) {
    this.#faults = faults;
  }

  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  read(event: ServerEvent): Loose | undefined {
    if (event.data.trim() === "[DONE]") {
      if (!this.#hasContent && !this.#isComplete())
        throw this.#faults.unreadable("a stream without an answer");
      this.#isOver = true;
      this.#hasBegun = true;
      return undefined;
    }
    const chunk = recordOf(event, this.#faults, ["", "message"], "choices");
    if (chunk === undefined) return undefined;
    this.#hasBegun = true;
    const choices = Array.isArray(chunk["choices"]) ? chunk["choices"].filter(isObject) : [];
    for (const choice of choices) this.#add(choice);
    return chunk;
  }

  finish(): void {
    if (!this.#isOver && !this.#isComplete()) throw this.#faults.unreadable("an incomplete stream");
  }

  #isComplete(): boolean {
    return this.#isFinished && this.#open.size === 0;
  }

  #add({ index = 0, delta, finish_reason: reason, text }: Loose): void {
    if (isContent(delta) || isContent({ text })) this.#hasContent = true;
    // An empty reason means none yet.
    if (typeof reason === "string" && reason !== "") {
      this.#open.delete(index);
      this.#isFinished = true;
    } else if (!this.#isFinished || isContent(delta)) this.#open.add(index);
  }
}

/** For the messages protocol: the end is `message_stop`. */
export class MessagesReader implements StreamReader {
  readonly #faults: StreamFaults;
  #hasStarted = false;
  #isOver = false;

  constructor(faults: StreamFaults) {
    this.#faults = faults;
  }

  get hasBegun(): boolean {
    return this.#hasStarted;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  read(event: ServerEvent): Loose | undefined {
    const record = recordOf(event, this.#faults, ["", ...EVENTS], "type");
    if (record?.["type"] === "message_start") this.#hasStarted = true;
    if (record?.["type"] === "message_stop") {
      if (!this.#hasStarted) throw this.#faults.unreadable("a stream without an answer");
      this.#isOver = true;
    }
    return record;
  }

  finish(): void {
    if (!this.#isOver) throw this.#faults.unreadable("an incomplete stream");
  }
}

/**
 * For the Responses protocol: the end is `response.completed`, `response.incomplete` or `response.failed`. What follows,
 * such as `[DONE]`, passes as well.
 */
export class ResponsesReader implements StreamReader {
  readonly #faults: StreamFaults;
  #hasBegun = false;
  #hasEnded = false;

  constructor(faults: StreamFaults) {
    this.#faults = faults;
  }

  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  get isOver(): boolean {
    return false;
  }

  read(event: ServerEvent): Loose | undefined {
    if (this.#hasEnded) return undefined;
    const record = recordOf(event, this.#faults, ["", ...RESPONSE_ENDS], "type");
    const type = record?.["type"];
    if (typeof type !== "string" || !type.startsWith("response.")) return undefined;
    const response = record?.["response"];
    // Nothing was sent so far: the caller gets a status instead.
    if (type === "response.failed" && !this.#hasBegun && isObject(response) && isObject(response["error"]))
      throw this.#faults.refused(response["error"]);
    this.#hasBegun = true;
    this.#hasEnded = RESPONSE_ENDS.includes(type);
    return record;
  }

  finish(): void {
    if (!this.#hasEnded) throw this.#faults.unreadable("an incomplete stream");
  }
}

const RESPONSE_ENDS = ["response.completed", "response.incomplete", "response.failed"];

const EVENTS = [
  "message_start",
  "content_block_start",
  "content_block_delta",
  "content_block_stop",
  "message_delta",
  "message_stop",
];

/** The record of an event. Events with unknown names are skipped, unless they have the field `field`. */
function recordOf(
  { name, data }: ServerEvent,
  faults: StreamFaults,
  known: readonly string[],
  field: string,
): Loose | undefined {
  // Servers keep connections open with empty events.
  if (data.trim() === "" && name !== "error") return undefined;
  const value = parsed(data);
  const record = isObject(value) ? value : undefined;
  const error = record === undefined ? undefined : errorIn(record);
  if (error !== undefined) throw faults.refused(error);
  if (name === "error") throw faults.refused(record ?? data);
  if (record !== undefined && (known.includes(name) || field in record)) return record;
  if (known.includes(name)) throw faults.unreadable("a stream of events that are not JSON");
  return undefined;
}

function parsed(data: string): unknown {
  try {
    return parseJsonPiece(data);
  } catch {
    return undefined;
  }
}

/** Whether a delta says anything: text, reasoning, calls, whatever the field is called. */
function isContent(delta: unknown): boolean {
  if (!isObject(delta)) return false;
  return Object.entries(delta).some(([field, value]) => {
    if (field === "role" || value === null || value === undefined || value === "") return false;
    return !Array.isArray(value) || value.length > 0;
  });
}
