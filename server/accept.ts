// Content negotiation (RFC 9110, section 12.5.1).

/**
 * Whether a request accepts a media type: the most specific range of `Accept` counts, and `q=0` refuses. Without the header,
 * only JSON is certain to be understood.
 */
export function accepts({ headers }: Request, type: "application/json" | "text/event-stream"): boolean {
  const header = headers.get("accept");
  if (header === null || header.trim() === "") return type === "application/json";
  const ranges = header.split(",").map(rangeOf);
  const [group] = type.split("/");
  for (const name of [type, `${group}/*`, "*/*"]) {
    const range = ranges.find((each) => each.name === name);
    if (range !== undefined) return range.quality > 0;
  }
  // Many clients name neither; JSON is what they have always got.
  return type === "application/json" && !ranges.some(({ name }) => name === "text/event-stream");
}

function rangeOf(text: string): { name: string; quality: number } {
  const [name = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => /^q\s*=/.test(parameter));
  const quality = weight === undefined ? 1 : Number(weight.slice(weight.indexOf("=") + 1));
  return { name, quality: Number.isNaN(quality) ? 1 : quality };
}
