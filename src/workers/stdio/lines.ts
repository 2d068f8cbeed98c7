// Lines of a program's output.

/** The longest line that is read, in bytes. */
export const LONGEST_LINE = 16 * 1024 * 1024;

/** A program has written a line that is longer than the limit. */
export class LineTooLong extends Error {
  override readonly name = "LineTooLong";
}

const LINE_FEED = 10;

/** Calls `take` with each line, without its end. Throws `LineTooLong`. */
export async function readLines(
  output: ReadableStream<Uint8Array>,
  take: (line: string) => void,
  longest = LONGEST_LINE,
): Promise<void> {
  const decoder = new TextDecoder();
  let parts: Uint8Array[] = [];
  let length = 0;
  for await (const bytes of output) {
    let start = 0;
    for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, start)) {
      parts.push(bytes.subarray(start, end));
      if (length + end - start > longest) throw new LineTooLong();
      take(decoder.decode(parts.length === 1 ? parts[0] : Buffer.concat(parts)));
      parts = [];
      length = 0;
      start = end + 1;
    }
    if (start === bytes.length) continue;
    parts.push(bytes.subarray(start));
    length += bytes.length - start;
    if (length > longest) throw new LineTooLong();
  }
}
