// The head of a response (RFC 9112, sections 4 and 5).

export interface ResponseHead {
  status: number;
  statusText: string;
  headers: Headers;
  /** HTTP/1.0, whose connections end with the response. */
  isOld: boolean;
}

/** More than any server sends. */
const MAX_HEAD = 64 * 1024;
const MAX_FIELDS = 500;
const MAX_INFORMATIONAL = 50;

const STATUS_LINE = /^HTTP\/1\.[01] (\d{3})(?: ([\t\x20-\x7e\x80-\xff]*))?$/;
const FIELD = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):([\t\x20-\x7e\x80-\xff]*)$/;

/** Collects bytes until the head is complete. Informational heads (1xx) are skipped. */
export class HeadReader {
  #bytes: Buffer = Buffer.alloc(0);
  #informational = 0;

  /** The head and the bytes after it; undefined if more bytes are needed. Throws `MalformedResponse`. */
  add(bytes: Uint8Array): { head: ResponseHead; rest: Uint8Array } | undefined {
    this.#bytes = this.#bytes.byteLength === 0 ? Buffer.from(bytes) : Buffer.concat([this.#bytes, bytes]);
    for (;;) {
      const end = this.#bytes.indexOf("\r\n\r\n");
      if (end < 0 && this.#bytes.byteLength <= MAX_HEAD) return undefined;
      if (end < 0 || end > MAX_HEAD) throw new MalformedResponse();
      const head = headOf(this.#bytes.toString("latin1", 0, end));
      this.#bytes = this.#bytes.subarray(end + 4);
      if (head.status >= 200 || head.status === 101) return { head, rest: this.#bytes };
      if (++this.#informational > MAX_INFORMATIONAL) throw new MalformedResponse();
    }
  }
}

/** The bytes are not those of an HTTP response. */
export class MalformedResponse extends Error {
  readonly code = "InvalidHTTPResponse";
}

function headOf(text: string): ResponseHead {
  const [first = "", ...lines] = text.split("\r\n");
  const [, status, statusText = ""] = STATUS_LINE.exec(first) ?? [];
  if (status === undefined || lines.length > MAX_FIELDS) throw new MalformedResponse();
  const headers = new Headers();
  for (const line of lines) {
    const [, name, value] = FIELD.exec(line) ?? [];
    if (name === undefined || value === undefined) throw new MalformedResponse();
    headers.append(name, value.trim());
  }
  return { status: Number(status), statusText, headers, isOld: first.startsWith("HTTP/1.0") };
}
