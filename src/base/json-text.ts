// Reads JSON text without parsing it, in one pass.

const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const CASE = 0x20;
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

export interface JsonLimits {
  /** Levels of nesting. */
  depth: number;
  /** Members of one object. */
  members: number;
  /** Members of all objects. */
  keys: number;
  /** Entries of all lists. */
  entries: number;
}

/** The limit that a text exceeds, or undefined. Stops there, so that no parser has to recurse into the text. */
export function exceededLimit(text: string, limits: JsonLimits): keyof JsonLimits | undefined {
  // Most bodies are too short to exceed any: all that is counted takes a character.
  if (text.length <= Math.min(limits.depth, limits.members, limits.keys, limits.entries)) return undefined;
  /** Members of each open object; undefined for an open list. */
  const open: (number | undefined)[] = [];
  let [keys, entries] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COLON) {
      const members = (open.pop() ?? 0) + 1;
      open.push(members);
      if (members > limits.members) return "members";
      if (++keys > limits.keys) return "keys";
    } else if (code === OPEN_OBJECT) {
      if (open.push(0) > limits.depth) return "depth";
    } else if (code === OPEN_LIST || (code === COMMA && open.length > 0 && open.at(-1) === undefined)) {
      if (code === OPEN_LIST && open.push(undefined) > limits.depth) return "depth";
      if (++entries > limits.entries) return "entries";
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) open.pop();
  }
  return undefined;
}

/** Whether a text has more levels of nesting. Takes half as long as `exceededLimit`, for texts of megabytes. */
export function isDeeper(text: string, levels: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    // The brackets of lists and of objects differ in one bit.
    else if ((code & ~CASE) === OPEN_LIST) {
      if (++depth > levels) return true;
    } else if ((code & ~CASE) === CLOSE_LIST) depth--;
  }
  return false;
}

/** Integers outside the safe range become strings. What was invalid stays invalid. */
export function quoteLongIntegers(text: string): string {
  const parts: string[] = [];
  let copied = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === MINUS || isDigit(code)) {
      const end = endOfNumber(text, at);
      if (isLongInteger(text.slice(at, end)) && !isKey(text, end)) {
        parts.push(text.slice(copied, at), `"${text.slice(at, end)}"`);
        copied = end;
      }
      at = end - 1;
    }
  }
  return copied === 0 ? text : parts.join("") + text.slice(copied);
}

/** Index of the quote that ends the string which begins at `start`; the length of the text if there is none. */
export function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    if (text.charCodeAt(at - 1) !== BACKSLASH) return at;
    let before = at - 2;
    while (text.charCodeAt(before) === BACKSLASH) before--;
    if ((at - before) % 2 === 1) return at;
  }
  return text.length;
}

function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  while (isOfNumber(text.charCodeAt(end))) end++;
  return end;
}

// Digits, signs, point, exponent.
function isOfNumber(code: number): boolean {
  return isDigit(code) || code === 0x2b || code === MINUS || code === 0x2e || code === 0x45 || code === 0x65;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isLongInteger(number: string): boolean {
  return number.length > 15 && /^-?[1-9]\d{15,}$/.test(number) && !Number.isSafeInteger(Number(number));
}

// A number as a key is invalid, and must not become valid.
function isKey(text: string, end: number): boolean {
  let at = end;
  while (text.charCodeAt(at) <= 0x20) at++;
  return text.charCodeAt(at) === COLON;
}
