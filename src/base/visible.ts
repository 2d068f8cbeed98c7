// Makes characters visible that a person would not see, or that would control a terminal: text from servers and other
// people must not move the cursor, change the direction of writing (CVE-2021-42574), or look like another text.

/**
 * Control characters (Cc), line and paragraph separators (Zl, Zp), everything that Unicode says to ignore in display
 * (zero-width characters, fillers, tags), the marks that change the direction of writing, and the blank Braille pattern.
 */
const HIDDEN = /[\p{Cc}\p{Zl}\p{Zp}\p{DI}\p{Bidi_C}\ufff9-\ufffb\u2800]/gu;
const JOINER = "\u200d";
const VARIATION = /^[\ufe0e\ufe0f]$/u;
/** What may stand on the two sides of a joiner: 👩‍👧. */
const BEFORE_JOINER = /(\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)$/u;
const EMOJI = /^\p{Extended_Pictographic}/u;
/** Letters and keys that have a form as an emoji: ☎️, 1️⃣. */
const BEFORE_VARIATION = /\p{Emoji}$/u;

/** The text on one line, with hidden characters as `\x1b`, `\u202e` or `\u{e0001}`. Emoji are kept. */
export function visible(text: string): string {
  return replaced(text, escaped);
}

/** The same, but keeps line ends and tabs. */
export function visibleLines(text: string): string {
  return replaced(text, (character) =>
    character === "\n" || character === "\t" ? character : escaped(character),
  );
}

/** The text without hidden characters; keeps line ends, tabs and emoji. */
export function withoutHidden(text: string): string {
  return replaced(text, (character) => (character === "\n" || character === "\t" ? character : ""));
}

/** Equivalent JSON text. `JSON.stringify` escapes only some of the characters. */
export function visibleJson(json: string): string {
  return replaced(json, (character) =>
    character === "\n" ? character : character.split("").map(unicodeEscape).join(""),
  );
}

function replaced(text: string, escape: (character: string) => string): string {
  return text.replace(HIDDEN, (character, at: number) =>
    isPartOfEmoji(text, character, at) ? character : escape(character),
  );
}

function isPartOfEmoji(text: string, character: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 2), at);
  if (VARIATION.test(character)) return BEFORE_VARIATION.test(before);
  return character === JOINER && BEFORE_JOINER.test(before) && EMOJI.test(text.slice(at + 1, at + 3));
}

function escaped(character: string): string {
  if (character === "\n") return "\\n";
  if (character === "\r") return "\\r";
  if (character === "\t") return "\\t";
  const code = character.codePointAt(0) ?? 0;
  if (code > 0xffff) return `\\u{${code.toString(16)}}`;
  return code < 256 ? `\\x${hex(code, 2)}` : `\\u${hex(code, 4)}`;
}

function unicodeEscape(unit: string): string {
  return `\\u${hex(unit.charCodeAt(0), 4)}`;
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, "0");
}
