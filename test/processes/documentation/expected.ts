// Compares what a command printed with what a page shows. `…` is anything.

/** Whether a text has the form of a pattern. */
export function fitsText(pattern: string, text: string): boolean {
  const [first = "", ...rest] = pattern.split("…");
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const [index, part] of rest.entries()) {
    const found = index === rest.length - 1 ? text.length - part.length : text.indexOf(part, at);
    if (found < at || !text.startsWith(part, found)) return false;
    at = found + part.length;
  }
  return rest.length > 0 || at === text.length;
}

/** Whether a JSON value has everything that is shown; it may have more members. */
export function fitsJson(shown: unknown, value: unknown): boolean {
  if (typeof shown === "string") return typeof value === "string" && fitsText(shown, value);
  if (Array.isArray(shown))
    return Array.isArray(value) && shown.every((each, index) => fitsJson(each, value[index]));
  if (typeof shown !== "object" || shown === null) return shown === value;
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(shown).every(([name, each]) => fitsJson(each, Object(value)[name]));
}

/** Whether the lines of a console are those that are shown; a line `…` is any lines. */
export function fitsLines(shown: readonly string[], lines: readonly string[]): boolean {
  const [first, ...rest] = shown;
  if (first === undefined) return lines.length === 0;
  if (first === "…") return lines.some((_, at) => fitsLines(rest, lines.slice(at))) || rest.length === 0;
  return lines.length > 0 && fitsText(first, lines[0] ?? "") && fitsLines(rest, lines.slice(1));
}
