// Escapes control characters, so that text from servers and other people cannot control the terminal.

/** Control characters, and the marks that change the direction of writing. */
const CONTROLS = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** The text on one line, with control characters escaped as `\x1b` or `\u202e`. */
export function printable(text: string): string {
  return text.replaceAll(CONTROLS, escaped);
}

/** The same, but keeps line ends and tabs. */
export function printableLines(text: string): string {
  return text.replaceAll(CONTROLS, (character) =>
    character === "\n" || character === "\t" ? character : escaped(character),
  );
}

/** Equivalent JSON text without the control characters that `JSON.stringify` does not escape. */
export function printableJson(json: string): string {
  return json.replaceAll(
    /[\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${hex(character, 4)}`,
  );
}

function escaped(character: string): string {
  if (character === "\n") return "\\n";
  if (character === "\r") return "\\r";
  if (character === "\t") return "\\t";
  return character.charCodeAt(0) < 256 ? `\\x${hex(character, 2)}` : `\\u${hex(character, 4)}`;
}

function hex(character: string, digits: number): string {
  return character.charCodeAt(0).toString(16).padStart(digits, "0");
}
