// Where the body of a response ends (RFC 9112, section 6).
import { MalformedResponse, type ResponseHead } from "./head";

export interface Framing {
  /** Whether the body is complete. */
  readonly isComplete: boolean;
  /** Whether it is, and nothing followed: the connection can be used again. */
  readonly isClean: boolean;
  /** The bytes of the body in a piece of the connection. Throws `MalformedResponse`, with what was before it returned first. */
  add(piece: Uint8Array): Uint8Array[];
  /** The connection ended. Whether the body is complete then. */
  ended(): boolean;
}

const WITHOUT_BODY = new Set([101, 204, 205, 304]);

/** Throws `MalformedResponse` if the headers contradict each other. */
export function framingOf({ status, headers }: ResponseHead): Framing {
  const [coding, length] = [headers.get("transfer-encoding"), headers.get("content-length")];
  if (WITHOUT_BODY.has(status)) return new Counted(0);
  if (coding !== null) {
    if (coding.trim().toLowerCase() !== "chunked") throw new MalformedResponse();
    return new Chunked();
  }
  if (length === null) return new UntilEnd();
  const [first = "", ...more] = length.split(",").map((one) => one.trim());
  if (!/^\d{1,15}$/.test(first) || more.some((one) => one !== first)) throw new MalformedResponse();
  return new Counted(Number(first));
}

class Counted implements Framing {
  #left: number;
  #hasMore = false;

  constructor(length: number) {
    this.#left = length;
  }

  get isComplete(): boolean {
    return this.#left === 0;
  }

  get isClean(): boolean {
    return this.isComplete && !this.#hasMore;
  }

  add(piece: Uint8Array): Uint8Array[] {
    const taken = piece.subarray(0, this.#left);
    this.#left -= taken.byteLength;
    this.#hasMore ||= taken.byteLength < piece.byteLength;
    return taken.byteLength === 0 ? [] : [taken];
  }

  ended(): boolean {
    return this.isComplete;
  }
}

class UntilEnd implements Framing {
  readonly isComplete = false;
  readonly isClean = false;

  add(piece: Uint8Array): Uint8Array[] {
    return piece.byteLength === 0 ? [] : [piece];
  }

  ended(): boolean {
    return true;
  }
}

/** The longest line of a size with extensions, or of a trailer. */
const MAX_LINE = 16 * 1024;
/** All trailers together. */
const MAX_TRAILERS = 64 * 1024;
const LF = 0x0a;
const CR = 0x0d;

class Chunked implements Framing {
  #state: "size" | "data" | "end of data" | "trailer" | "complete" = "size";
  /** Bytes of the line that earlier pieces contained. */
  #line = "";
  #left = 0;
  #trailerBytes = 0;
  #hasMore = false;
  #fault: unknown;

  get isComplete(): boolean {
    return this.#state === "complete";
  }

  get isClean(): boolean {
    return this.isComplete && !this.#hasMore;
  }

  add(piece: Uint8Array): Uint8Array[] {
    const found: Uint8Array[] = [];
    if (this.#fault !== undefined) throw this.#fault;
    try {
      this.#read(piece, found);
    } catch (thrown) {
      if (found.length === 0) throw thrown;
      this.#fault = thrown;
    }
    // Chunks may be of one byte each, and each piece costs its reader more than copying it.
    return found.length > 1 ? [Buffer.concat(found)] : found;
  }

  #read(piece: Uint8Array, found: Uint8Array[]): void {
    for (let at = 0; at < piece.byteLength && this.#state !== "complete";) {
      if (this.#state === "data") {
        const data = piece.subarray(at, at + this.#left);
        this.#left -= data.byteLength;
        at += data.byteLength;
        found.push(data);
        if (this.#left === 0) this.#state = "end of data";
        continue;
      }
      const end = piece.indexOf(LF, at);
      this.#line += Buffer.from(piece.subarray(at, end < 0 ? undefined : end)).toString("latin1");
      if (this.#line.length > MAX_LINE) throw new MalformedResponse();
      if (end < 0) break;
      at = end + 1;
      this.#endLine();
      this.#hasMore = this.isComplete && at < piece.byteLength;
    }
  }

  ended(): boolean {
    return this.isComplete;
  }

  #endLine(): void {
    if (this.#line.charCodeAt(this.#line.length - 1) !== CR) throw new MalformedResponse();
    const line = this.#line.slice(0, -1);
    this.#line = "";
    if (this.#state === "size") this.#start(line);
    else if (this.#state === "end of data" && line === "") this.#state = "size";
    else if (this.#state === "end of data") throw new MalformedResponse();
    else if (line === "") this.#state = "complete";
    else this.#countTrailer(line);
  }

  #countTrailer(line: string): void {
    this.#trailerBytes += line.length + 2;
    if (this.#trailerBytes > MAX_TRAILERS) throw new MalformedResponse();
  }

  #start(line: string): void {
    const size = (line.split(";", 1)[0] ?? "").trimEnd();
    if (!/^[0-9A-Fa-f]{1,12}$/.test(size)) throw new MalformedResponse();
    this.#left = Number.parseInt(size, 16);
    this.#state = this.#left === 0 ? "trailer" : "data";
  }
}
