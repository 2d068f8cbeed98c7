// Which addresses a URI template (RFC 6570) may expand to. Only used to find the server that reads an address, so a match may
// be too wide; the server decides. No regular expressions: the templates come from outside.

/** A run of characters: of one path segment, or of any. */
type Part = string | { any: boolean };

/** Longer addresses and templates match nothing. */
const LONGEST = 2000;
const MOST_PARTS = 20;

export interface UriTemplate {
  matches(uri: string): boolean;
  /** An address that it expands to. */
  sample: string;
  /** What all of its addresses begin with. */
  prefix: string;
}

/** Undefined for a text that is too long or has too many parts. */
export function uriTemplate(text: string): UriTemplate | undefined {
  if (text.length > LONGEST) return undefined;
  const parts = partsOf(text);
  if (parts.length > MOST_PARTS) return undefined;
  return {
    matches: (uri) => uri.length <= LONGEST && reaches(parts, uri),
    prefix: typeof parts[0] === "string" ? parts[0] : "",
    sample: parts.map((part) => (typeof part === "string" ? part : "x")).join(""),
  };
}

function partsOf(text: string): Part[] {
  const parts: Part[] = [];
  let at = 0;
  while (at < text.length) {
    const start = text.indexOf("{", at);
    const end = start < 0 ? -1 : text.indexOf("}", start);
    if (end < 0) return [...parts, text.slice(at)];
    if (start > at) parts.push(text.slice(at, start));
    // The operators of these may expand to more than a segment.
    parts.push({ any: "+#/?&".includes(text.charAt(start + 1)) });
    at = end + 1;
  }
  return parts;
}

/** Follows all positions at once, so the work is the product of both lengths at most. */
function reaches(parts: readonly Part[], uri: string): boolean {
  let reached: Uint8Array = new Uint8Array(uri.length + 1);
  reached[0] = 1;
  for (const part of parts) {
    reached = typeof part === "string" ? afterText(reached, part, uri) : afterRun(reached, part.any, uri);
    if (!reached.includes(1)) return false;
  }
  return reached[uri.length] === 1;
}

function afterText(from: Uint8Array, text: string, uri: string): Uint8Array {
  const reached = new Uint8Array(from.length);
  for (let at = from.indexOf(1); at >= 0; at = from.indexOf(1, at + 1)) {
    if (uri.startsWith(text, at)) reached[at + text.length] = 1;
  }
  return reached;
}

function afterRun(from: Uint8Array, any: boolean, uri: string): Uint8Array {
  const reached = new Uint8Array(from.length);
  let isInRun = false;
  for (let at = 0; at < from.length; at++) {
    isInRun ||= from[at] === 1;
    if (isInRun) reached[at] = 1;
    if (!any && "/?#".includes(uri.charAt(at))) isInRun = false;
  }
  return reached;
}
