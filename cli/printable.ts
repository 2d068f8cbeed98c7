// Texts that come from servers and other people must not steer the terminal that shows them.

/** Control characters, and the marks that turn the direction of writing around. */
const STEERING = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** The text on one line, with steering characters shown as `\x1b` or `\u202e`. */
export function printable(text: string): string {
  return text.replaceAll(STEERING, shown);
}

/** The same, and lines stay lines. For texts that are printed whole. */
export function printableLines(text: string): string {
  return text.replaceAll(STEERING, (character) =>
    character === "\n" || character === "\t" ? character : shown(character),
  );
}

/** JSON text without the control characters that `JSON.stringify` leaves alone. It still means the same. */
export function printableJson(json: string): string {
  return json.replaceAll(
    /[\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${hex(character, 4)}`,
  );
}

function shown(character: string): string {
  if (character === "\n") return "\\n";
  if (character === "\r") return "\\r";
  if (character === "\t") return "\\t";
  return character.charCodeAt(0) < 256 ? `\\x${hex(character, 2)}` : `\\u${hex(character, 4)}`;
}

function hex(character: string, digits: number): string {
  return character.charCodeAt(0).toString(16).padStart(digits, "0");
}
