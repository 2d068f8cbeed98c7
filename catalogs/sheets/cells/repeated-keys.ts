// Keys that stand twice in one JSON object. A parser keeps the last of them without a word.

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:,]/g;

/** The first key that an object of the text holds twice. The text must be JSON that was parsed before. */
export function repeatedKey(text: string): string | undefined {
  /** One set of keys per open object, nothing per open list. */
  const open: (Set<string> | undefined)[] = [];
  let last = "";
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === "{") open.push(new Set());
    else if (token === "[") open.push(undefined);
    else if (token === "}" || token === "]") open.pop();
    else if (token === ":") {
      const keys = open.at(-1);
      const key: string = JSON.parse(last);
      if (keys?.has(key)) return key;
      keys?.add(key);
    }
    last = token;
  }
  return undefined;
}
