// Keys that occur twice in one object of a JSON text. Parsers use the last value without a word.
import { endOfString } from "../../src/tools";

/**
 * The first duplicate key in an object of the text. The text must be valid JSON.
 */
export function repeatedKey(text: string): string | undefined {
  /** A set of keys per open object, undefined per open list. */
  const open: (Set<string> | undefined)[] = [];
  let last = "";
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === '"') {
      const end = endOfString(text, at);
      last = text.slice(at, end + 1);
      at = end;
    } else if (character === "{") open.push(new Set());
    else if (character === "[") open.push(undefined);
    else if (character === "}" || character === "]") open.pop();
    else if (character === ":") {
      const keys = open.at(-1);
      const key: string = last.includes("\\") ? JSON.parse(last) : last.slice(1, -1);
      if (keys?.has(key)) return key;
      keys?.add(key);
    }
  }
  return undefined;
}
