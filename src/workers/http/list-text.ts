// Splits the text of a JSON list, so that an entry that cannot be parsed costs only itself.
import { endOfString } from "../../base";

const QUOTE = 0x22;
const COMMA = 0x2c;
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * The texts of the entries; the parser of each says whether it is JSON. Undefined if the text is not one list.
 *
 * @param most more entries than this are not split: the result then has one more than that
 */
export function entryTexts(given: string, most: number): string[] | undefined {
  const text = given.trim();
  if (!text.startsWith("[") || !text.endsWith("]")) return undefined;
  const entries: string[] = [];
  let depth = 0;
  let start = 1;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === OPEN_LIST || code === OPEN_OBJECT) depth++;
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth--;
    const isLast = depth === 0;
    if (isLast && at < text.length - 1) return undefined;
    if (!isLast && (depth !== 1 || code !== COMMA)) continue;
    entries.push(text.slice(start, at).trim());
    start = at + 1;
    if (isLast) return entries.length === 1 && entries[0] === "" ? [] : entries;
    if (entries.length > most) return entries;
  }
  return undefined;
}
