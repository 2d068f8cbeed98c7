// Parses server-sent events from bytes that may be split anywhere (HTML standard, section 9.2.6).
import { nextTurn } from "../../base";

export interface ServerEvent {
  /** Value of `event:`; empty if there is none. */
  name: string;
  data: string;
}

/** The bytes of one block up to its blank line, and its event; one or more blocks of comments and other fields have none. */
export interface Block {
  bytes: Uint8Array;
  event: ServerEvent | undefined;
}

/** The largest block. Larger ones are not events of a model. */
const MAX_BLOCK = 16 * 1024 * 1024;

const LARGE_PIECE = 16 * 1024;

/** Thrown for a block that does not end. */
export class EndlessEvent extends Error {}

/** The events of a body, including a last one without a blank line. Rejects if reading fails. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent, void> {
  const blocks = new Blocks();
  for await (const bytes of body) {
    for (const { event } of blocks.add(bytes)) if (event !== undefined) yield event;
    // A body that has arrived already is read without a pause.
    if (bytes.byteLength >= LARGE_PIECE) await nextTurn();
  }
  const last = blocks.end()?.event;
  if (last !== undefined) yield last;
}

/** Splits bytes into blocks. Looks at each byte once; lines end in LF, CR or both. */
export class Blocks {
  /** Bytes of the block, and of its last line, that earlier pieces contained. */
  #block: Uint8Array[] = [];
  #line: Uint8Array[] = [];
  #size = 0;
  #afterReturn = false;
  #isFirst = true;
  #fields = new Fields();

  /** Throws `EndlessEvent`. */
  add(piece: Uint8Array): Block[] {
    const found: Block[] = [];
    let start = 0;
    /** The end of the blocks without an event since `start`. */
    let silent = 0;
    let from = this.#afterReturn && piece[0] === LF ? 1 : 0;
    if (piece.byteLength > 0) this.#afterReturn = false;
    for (let at = from; at < piece.byteLength; at++) {
      const code = piece[at];
      if (code !== LF && code !== CR) continue;
      const ends = this.#fields.add(this.#text(piece.subarray(from, at)));
      if (code === CR && piece[at + 1] === LF) at++;
      else if (code === CR && at === piece.byteLength - 1) this.#afterReturn = true;
      from = at + 1;
      if (!ends) continue;
      const event = this.#fields.take();
      // A piece may be nothing but blank lines.
      if (event === undefined) {
        silent = from;
        continue;
      }
      if (silent > start) found.push({ bytes: this.#bytes(piece.subarray(start, silent)), event: undefined });
      found.push({ bytes: this.#bytes(piece.subarray(Math.max(start, silent), from)), event });
      start = from;
    }
    if (silent > start) {
      found.push({ bytes: this.#bytes(piece.subarray(start, silent)), event: undefined });
      start = silent;
    }
    this.#keep(piece.subarray(start), piece.subarray(from));
    return found;
  }

  /** The rest, without a blank line. */
  end(): Block | undefined {
    const line = this.#text(new Uint8Array());
    if (line !== "") this.#fields.add(line);
    const bytes = this.#bytes(new Uint8Array());
    return bytes.byteLength === 0 ? undefined : { bytes, event: this.#fields.take() };
  }

  #keep(block: Uint8Array, line: Uint8Array): void {
    if (block.byteLength > 0) this.#block.push(block);
    if (line.byteLength > 0) this.#line.push(line);
    this.#size += block.byteLength;
    if (this.#size > MAX_BLOCK) throw new EndlessEvent(`An event has more than ${MAX_BLOCK} bytes.`);
  }

  #bytes(last: Uint8Array): Uint8Array {
    const all = this.#block.length === 0 ? last : Buffer.concat([...this.#block, last]);
    this.#block = [];
    this.#size = 0;
    return all;
  }

  #text(last: Uint8Array): string {
    const line = this.#line.length === 0 ? last : Buffer.concat([...this.#line, last]);
    this.#line = [];
    const text = DECODER.decode(line);
    if (!this.#isFirst) return text;
    this.#isFirst = false;
    return text.startsWith("\uFEFF") ? text.slice(1) : text;
  }
}

/** The fields of the current block. */
class Fields {
  #name = "";
  #data: string[] = [];

  /** Adds a line. Returns whether it ends the block. */
  add(line: string): boolean {
    if (line === "") return true;
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (field === "data") this.#data.push(value);
    else if (field === "event") this.#name = value;
    else if (field === "error") {
      // Some servers name the field like this.
      this.#name = "error";
      this.#data.push(value);
      // A line that is not a field is the text of an error in the middle of a stream, as proxies and servers write it.
    } else if (field !== "" && !/^[\w-]+$/.test(field)) this.#data.push(line);
    return false;
  }

  take(): ServerEvent | undefined {
    const [name, data] = [this.#name, this.#data];
    this.#name = "";
    this.#data = [];
    return data.length === 0 ? undefined : { name, data: data.join("\n") };
  }
}

const LF = 0x0a;
const CR = 0x0d;
const DECODER = new TextDecoder("utf-8", { ignoreBOM: true });
