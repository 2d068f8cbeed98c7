// A field of a request, replaced in the text itself: every other byte stays as the caller sent it.

/**
 * The JSON text of an object with the value of its own field `key` replaced wherever it stands (a repeated field is
 * read differently by different servers). `text` is valid JSON.
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

/** Where the values of a field of the outermost object stand: start and end of each. */
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
