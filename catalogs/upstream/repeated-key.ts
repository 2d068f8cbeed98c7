// Keys that occur twice in one object of a JSON text. Parsers use the last value without a word.
import { endOfString } from "../../src/tools";

/**
 * The first duplicate key in an object of the text. The text must be valid JSON.
 */
export function repeatedKey(text: string): string | undefined {
  /** The keys of each open object, undefined per open list. A set costs more than the text of an object with few keys. */
  const open: (string[] | Set<string> | undefined)[] = [];
  let last = "";
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') {
      const end = endOfString(text, at);
      last = text.slice(at, end + 1);
      at = end;
    } else if (character === "{") open.push([]);
    else if (character === "[") open.push(undefined);
    else if (character === "}" || character === "]") open.pop();
    else if (character === ":") {
      const key: string = last.includes("\\") ? JSON.parse(last) : last.slice(1, -1);
      if (!added(open, key)) return key;
    }
  }
  return undefined;
}

const FEW = 8;

/** Adds a key to those of the innermost object. False if it has that key. */
function added(open: (string[] | Set<string> | undefined)[], key: string): boolean {
  const keys = open.at(-1);
  if (Array.isArray(keys)) {
    if (keys.includes(key)) return false;
    if (keys.push(key) > FEW) open[open.length - 1] = new Set(keys);
  } else if (keys !== undefined) {
    if (keys.has(key)) return false;
    keys.add(key);
  }
  return true;
}
