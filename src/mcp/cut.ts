// Results that are too large: cut so that they stay JSON of the same form, lists and texts shorter.
import { isObject } from "../base";

/** Where cutting begins: far above what is left at the end, so that as much as fits is kept. */
const FIRST_ITEMS = 4096;
const FIRST_LETTERS = 65_536;

/** A copy that takes at most so many bytes as JSON; undefined when only a part of its fields would fit. */
export function cutTo(value: unknown, maxBytes: number): unknown {
  for (let items = FIRST_ITEMS, letters = FIRST_LETTERS; items >= 1; items >>= 1, letters >>= 1) {
    const cut = shortened(value, items, Math.max(letters, 16));
    if (Buffer.byteLength(JSON.stringify(cut)) <= maxBytes) return cut;
  }
  return undefined;
}

function shortened(value: unknown, items: number, letters: number): unknown {
  if (typeof value === "string") return value.length <= letters ? value : whole(value.slice(0, letters));
  if (Array.isArray(value)) {
    return value.slice(0, items).map((item: unknown) => shortened(item, items, letters));
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, shortened(inner, items, letters)]),
  );
}

// A character of two units is not cut in two.
function whole(text: string): string {
  return text.isWellFormed() ? text : text.replace(/[\uD800-\uDBFF]$/, "");
}
