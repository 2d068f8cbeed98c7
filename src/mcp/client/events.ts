// Reads a stream of server-sent events (WHATWG HTML, section 9.2.6), in time proportional to its length.

export interface ServerEvent {
  type: string;
  /** Empty for an event that only sets an id or a time. */
  data: string;
  /** Id of the latest event that had one. */
  id: string | undefined;
  /** Milliseconds to wait before reconnecting, if the stream has said so. */
  retryMs: number | undefined;
}

const LINE_END = /\r\n|\n|\r/g;

/** Splits a text that arrives in pieces into lines. */
class Lines {
  #parts: string[] = [];
  /** The piece before ended with a carriage return, which may be half of a line end. */
  #afterReturn = false;

  *of(piece: string): Generator<string> {
    if (piece === "") return;
    let start = this.#afterReturn && piece.startsWith("\n") ? 1 : 0;
    LINE_END.lastIndex = start;
    for (let end = LINE_END.exec(piece); end !== null; end = LINE_END.exec(piece)) {
      this.#parts.push(piece.slice(start, end.index));
      start = end.index + end[0].length;
      const line = this.#parts.length === 1 ? (this.#parts[0] ?? "") : this.#parts.join("");
      this.#parts = [];
      yield line;
      // The consumer may have read other pieces meanwhile.
      LINE_END.lastIndex = start;
    }
    if (start < piece.length) this.#parts.push(piece.slice(start));
    this.#afterReturn = piece.endsWith("\r");
  }
}

/** Turns the bytes of a stream into events. An event that the stream ends before is dropped, as the standard says. */
export class EventReader {
  readonly #decoder = new TextDecoder();
  readonly #lines = new Lines();
  #data: string[] = [];
  #type = "";
  #id: string | undefined;
  #retryMs: number | undefined;

  *read(bytes: Uint8Array): Generator<ServerEvent> {
    for (const line of this.#lines.of(this.#decoder.decode(bytes, { stream: true }))) {
      const event = this.#take(line);
      if (event !== undefined) yield event;
    }
  }

  #take(line: string): ServerEvent | undefined {
    if (line !== "") {
      this.#field(line);
      return undefined;
    }
    const event = {
      type: this.#type === "" ? "message" : this.#type,
      data: this.#data.join("\n"),
      id: this.#id,
      retryMs: this.#retryMs,
    };
    this.#data = [];
    this.#type = "";
    return event;
  }

  #field(line: string): void {
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "data") this.#data.push(value);
    else if (name === "event") this.#type = value;
    else if (name === "id" && !value.includes("\0")) this.#id = value === "" ? undefined : value;
    else if (name === "retry" && /^\d{1,9}$/.test(value)) this.#retryMs = Number(value);
  }
}
