// Parses the head of an HTTP answer, as far as the load generator needs it.

export interface AnswerHead {
  status: number;
  /** Bytes of head and body together; undefined: in chunks, until the empty one. */
  size: number | undefined;
}

const HEAD_END = "\r\n\r\n";
const LENGTH = /\r\ncontent-length: *(\d+)/i;
const CHUNKED = /\r\ntransfer-encoding: *chunked/i;
const LAST_CHUNK = Buffer.from("\r\n0\r\n\r\n");
const WITHOUT_BODY = new Set([204, 304]);

/**
 * Reads the head at the beginning of `bytes`; undefined while it is not complete.
 * Throws `Error` for an answer without a defined end.
 */
export function readHead(bytes: Buffer): AnswerHead | undefined {
  const end = bytes.indexOf(HEAD_END);
  if (end < 0) return undefined;
  const head = bytes.toString("latin1", 0, end);
  if (!head.startsWith("HTTP/1.1 ")) throw new Error("the answer is not HTTP/1.1");
  const status = Number(head.slice(9, 12));
  if (CHUNKED.test(head)) return { status, size: undefined };
  const length = LENGTH.exec(head)?.[1];
  if (length === undefined && !WITHOUT_BODY.has(status)) throw new Error("the answer has no length");
  return { status, size: end + HEAD_END.length + Number(length ?? 0) };
}

/** Whether `bytes` end with the empty chunk that ends an answer in chunks. */
export function endsWithLastChunk(bytes: Buffer): boolean {
  return bytes.length >= LAST_CHUNK.length && bytes.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK);
}
