// Text for a terminal, broken between words. The terminal itself breaks lines in the middle of words.

/** Lines of at most `width`, where the words allow it. `width` undefined: one line. */
export function wrapped(text: string, width: number | undefined): string[] {
  if (width === undefined || Bun.stringWidth(text) <= width) return [text];
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line === "" || Bun.stringWidth(longer) <= width) line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line];
}

/** A note, unless it has a command: that would be copied in two halves. */
export function wrappedNote(line: string, width: number): string {
  return /^\s|\bruntime (?:-|[a-z])/.test(line) ? line : wrapped(line, width).join("\n");
}
