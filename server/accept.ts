// Content negotiation (RFC 9110, section 12.5.1).

/**
 * Whether a request accepts a media type: the most specific range of `Accept` counts, and `q=0` refuses. Without the header,
 * only JSON is certain to be understood.
 */
export function accepts({ headers }: Request, type: "application/json" | "text/event-stream"): boolean {
  const header = headers.get("accept");
  if (header === null || header.trim() === "") return type === "application/json";
  let isNamed = false;
  let best = { rank: 0, quality: 0 };
  for (const text of header.split(",")) {
    const { name, quality } = rangeOf(text);
    isNamed ||= name === "text/event-stream";
    const rank = rankOf(name, type);
    if (rank > best.rank) best = { rank, quality };
  }
  if (best.rank > 0) return best.quality > 0;
  // Many clients name neither; JSON is what they have always got.
  return type === "application/json" && !isNamed;
}

/**
 * Whether a request prefers a page for people: it names `text/html`, and nothing that it names is wanted more. Programs that
 * name JSON as well get what programs get, and clients of MCP name `text/event-stream`.
 */
export function prefersPage({ headers }: Request): boolean {
  const ranges = (headers.get("accept") ?? "").split(",").map(rangeOf);
  const html = Math.max(
    0,
    ...ranges.filter(({ name }) => name === "text/html").map(({ quality }) => quality),
  );
  if (html === 0 || ranges.some(({ name }) => name === "text/event-stream")) return false;
  return ranges.every(({ name, quality }) => (isJson(name) ? quality < html : quality <= html));
}

function isJson(name: string): boolean {
  return name.endsWith("/json") || name.endsWith("+json");
}

/** Whether a request accepts a gzipped answer (RFC 9110, section 12.5.3). */
export function acceptsGzip({ headers }: Request): boolean {
  const codings = (headers.get("accept-encoding") ?? "").split(",").map(rangeOf);
  const named = codings.find(({ name }) => name === "gzip") ?? codings.find(({ name }) => name === "*");
  return named !== undefined && named.quality > 0;
}

/** How specific a range is for a type; 0 if the type is not in it. */
function rankOf(range: string, type: string): number {
  if (range === type) return 3;
  if (range === "*/*") return 1;
  return range.endsWith("/*") && type.startsWith(range.slice(0, -1)) ? 2 : 0;
}

function rangeOf(text: string): { name: string; quality: number } {
  if (!text.includes(";")) return { name: text.trim().toLowerCase(), quality: 1 };
  const [name = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => /^q\s*=/.test(parameter));
  const quality = weight === undefined ? 1 : Number(weight.slice(weight.indexOf("=") + 1));
  return { name, quality: Number.isNaN(quality) ? 1 : quality };
}
