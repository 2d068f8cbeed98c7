// Replaces a field in the text of a request: all other bytes stay as the caller sent them.

/**
 * The JSON text of an object with every value of its top-level field `key` replaced (servers read duplicate fields
 * differently). `text` is valid JSON.
 */
export function replaceField(text: string, key: string, value: unknown): string {
  const places = valuesOf(text, key);
  const replacement = JSON.stringify(value);
  let result = "";
  let end = 0;
  for (const [from, to] of places) {
    result += text.slice(end, from) + replacement;
    end = to;
  }
  return result + text.slice(end);
}

/** Start and end of all values of a field of the outermost object. */
function valuesOf(text: string, key: string): [number, number][] {
  const places: [number, number][] = [];
  let depth = 0;
  let at = 0;
  let isKey = false;
  let start = -1;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfString(text, at);
      // Escaped or not: `"m\u006fdel"` is the same field.
      if (depth === 1 && isKey && JSON.parse(text.slice(at, end)) === key) start = text.indexOf(":", end) + 1;
      isKey = false;
      at = end;
      continue;
    }
    if (code === OPEN || code === OPEN_LIST) depth++;
    else if (code === CLOSE || code === CLOSE_LIST) depth--;
    const separates = depth === 1 && code === COMMA;
    if ((separates || depth === 0) && start >= 0) {
      places.push([start, at]);
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
