// Lines of a program's output.
import { nextTurn } from "../../base";

/** The longest line that is read, in bytes. */
export const LONGEST_LINE = 16 * 1024 * 1024;

/** A program has written a line that is longer than the limit. */
export class LineTooLong extends Error {
  override readonly name = "LineTooLong";
}

const LINE_FEED = 10;

/** After so many, other work has its turn: a program may print without an end. */
const LINES_OF_TURN = 1000;

/** Calls `take` with each line that may be a message, without its end. Throws `LineTooLong`. */
export async function readLines(
  output: ReadableStream<Uint8Array>,
  take: (line: string) => void,
  longest = LONGEST_LINE,
): Promise<void> {
  const decoder = new TextDecoder();
  let parts: Uint8Array[] = [];
  let length = 0;
  let count = 0;
  for await (const bytes of output) {
    let start = 0;
    for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, start)) {
      parts.push(bytes.subarray(start, end));
      if (length + end - start > longest) throw new LineTooLong();
      const line = parts.length === 1 ? parts[0] : Buffer.concat(parts);
      if (line !== undefined && mayBeMessage(line)) take(decoder.decode(line));
      parts = [];
      length = 0;
      start = end + 1;
      if (++count % LINES_OF_TURN === 0) await nextTurn();
    }
    if (start === bytes.length) continue;
    parts.push(bytes.subarray(start));
    length += bytes.length - start;
    if (length > longest) throw new LineTooLong();
  }
}

/** Whether a line begins like JSON of an object or a list. Programs also print other text, and blank lines. */
function mayBeMessage(line: Uint8Array): boolean {
  const first = line.find((byte) => !WHITE_SPACE.has(byte));
  return first === OBJECT || first === LIST;
}

const WHITE_SPACE = new Set([0x09, 0x0a, 0x0d, 0x20]);
const OBJECT = 0x7b;
const LIST = 0x5b;
