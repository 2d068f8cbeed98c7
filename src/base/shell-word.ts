// Text as one word of a shell command, for commands that people copy.

/** The text itself if no shell gives it another meaning, else the text in single quotes. `~` stays in front of a path. */
export function shellWord(text: string): string {
  const [, home = "", rest = text] = /^(~\/)(.*)$/s.exec(text) ?? [];
  return /^[\w./:@%+=,-]*$/.test(rest) && text !== "" ? text : `${home}'${rest.replaceAll("'", `'\\''`)}'`;
}
