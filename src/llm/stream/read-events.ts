// Parses server-sent events from bytes that may be split anywhere (HTML standard, section 9.2.6).

export interface ServerEvent {
  /** Value of `event:`; empty if there is none. */
  name: string;
  data: string;
}

/** The events of a body, including a last one without a blank line. Rejects if reading fails. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent, void> {
  const lines = new Lines();
  const decoder = new TextDecoder();
  let name = "";
  let data: string[] = [];
  for await (const piece of pieces(body, decoder)) {
    for (const line of piece === undefined ? lines.end() : lines.add(piece)) {
      if (line === "") {
        if (data.length > 0) yield { name, data: data.join("\n") };
        name = "";
        data = [];
      } else if (line.startsWith("data")) {
        const value = valueOf(line, "data");
        if (value !== undefined) data.push(value);
      } else if (line.startsWith("event")) {
        name = valueOf(line, "event") ?? name;
      }
    }
  }
  if (data.length > 0) yield { name, data: data.join("\n") };
}

/** The text of the body piece by piece, and undefined at its end. */
async function* pieces(
  body: ReadableStream<Uint8Array>,
  decoder: TextDecoder,
): AsyncGenerator<string | undefined, void> {
  for await (const bytes of body) yield decoder.decode(bytes, { stream: true });
  yield decoder.decode();
  yield undefined;
}

function valueOf(line: string, field: string): string | undefined {
  if (line === field) return "";
  if (line[field.length] !== ":") return undefined;
  const from = field.length + 1;
  return line.slice(line[from] === " " ? from + 1 : from);
}

/** Splits pieces into lines that end in LF, CR or both. Reads each character once. */
class Lines {
  #line = "";
  #afterReturn = false;

  add(piece: string): string[] {
    const found: string[] = [];
    let from = this.#afterReturn && piece.startsWith("\n") ? 1 : 0;
    if (piece !== "") this.#afterReturn = false;
    for (let at = from; at < piece.length; at++) {
      const code = piece.charCodeAt(at);
      if (code !== LF && code !== CR) continue;
      found.push(this.#line + piece.slice(from, at));
      this.#line = "";
      if (code === CR && piece.charCodeAt(at + 1) === LF) at++;
      else if (code === CR && at === piece.length - 1) this.#afterReturn = true;
      from = at + 1;
    }
    this.#line += piece.slice(from);
    return found;
  }

  end(): string[] {
    const last = this.#line;
    this.#line = "";
    return last === "" ? [] : [last];
  }
}

const LF = 0x0a;
const CR = 0x0d;
