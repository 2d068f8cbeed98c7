// Finds a member in JSON text, so that its value can be passed on byte for byte: numbers lose digits when they are parsed.
import { endOfString } from "./json-text";

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** The text of the value at a path of member names; undefined if there is none. `text` is valid JSON. */
export function memberText(text: string, ...path: readonly string[]): string | undefined {
  let value: string | undefined = text;
  for (const name of path) value = value === undefined ? undefined : ownMember(value, name);
  return value;
}

/** The value of a member of the outermost object: of several, the last, which parsers keep. */
function ownMember(text: string, name: string): string | undefined {
  let found: string | undefined;
  let depth = 0;
  let start = -1;
  let isName = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfString(text, at) + 1;
      if (depth === 1 && isName && isNamed(text.slice(at, end), name)) start = text.indexOf(":", end) + 1;
      at = end - 1;
    } else if (code === OPEN_OBJECT || code === OPEN_LIST) {
      depth++;
      if (depth === 1 && code === OPEN_LIST) return undefined;
    } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) depth--;
    const ends = depth === 0 || (depth === 1 && code === COMMA);
    if (ends && start >= 0) {
      found = text.slice(start, at).trim();
      start = -1;
    }
    if (code === COLON && depth === 1) isName = false;
    else if (depth === 1 && (code === COMMA || code === OPEN_OBJECT)) isName = true;
  }
  return found;
}

/** Whether a JSON string is this name. An escaped name is the same name. */
function isNamed(quoted: string, name: string): boolean {
  return quoted.includes("\\") ? JSON.parse(quoted) === name : quoted.slice(1, -1) === name;
}
