// Replaces a field in the text of a request: all other bytes stay as the caller sent them.

/**
 * The JSON text of an object with every value of its top-level field `key` replaced (servers read duplicate fields
 * differently). `text` is valid JSON.
 */
export function replaceField(text: string, key: string, value: unknown): string {
  const places = fieldsOf(text, key).map(({ value }) => value);
  const replacement = JSON.stringify(value);
  let result = "";
  let end = 0;
  for (const [from, to] of places) {
    result += text.slice(end, from) + replacement;
    end = to;
  }
  return result + text.slice(end);
}

/** The text with another name for a field. */
export function renameField(text: string, key: string, name: string): string {
  return fieldsOf(text, key).reduceRight(
    (result, { from, value: [start] }) =>
      `${result.slice(0, from)}${JSON.stringify(name)}:${result.slice(start)}`,
    text,
  );
}

/** The text without a field. */
export function removeField(text: string, key: string): string {
  return fieldsOf(text, key).reduceRight((result, { from, value: [, end] }) => {
    const before = result.slice(0, from).trimEnd();
    const after = result.slice(end);
    return before.endsWith(",") ? before.slice(0, -1) + after : before + after.replace(/^\s*,/, "");
  }, text);
}

interface Field {
  /** Where its name begins. */
  from: number;
  /** Start and end of its value. */
  value: [number, number];
}

/** All occurrences of a field of the outermost object. */
function fieldsOf(text: string, key: string): Field[] {
  const places: Field[] = [];
  let from = 0;
  let depth = 0;
  let at = 0;
  let isKey = false;
  let start = -1;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfString(text, at);
      // Escaped or not: `"m\u006fdel"` is the same field.
      if (depth === 1 && isKey && JSON.parse(text.slice(at, end)) === key) {
        start = text.indexOf(":", end) + 1;
        from = at;
      }
      isKey = false;
      at = end;
      continue;
    }
    if (code === OPEN || code === OPEN_LIST) depth++;
    else if (code === CLOSE || code === CLOSE_LIST) depth--;
    const separates = depth === 1 && code === COMMA;
    if ((separates || depth === 0) && start >= 0) {
      places.push({ from, value: [start, at] });
      start = -1;
    }
    if (separates || (depth === 1 && code === OPEN)) isKey = true;
    at++;
  }
  return places;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;

function endOfString(text: string, from: number): number {
  let at = from + 1;
  while (text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at + 1;
}
