// Which format a scraper gets (RFC 9110, section 12.5.1).
import { type Format, OPEN_METRICS, PLAIN } from "./page";

const OPEN_TYPE = "application/openmetrics-text";
const PLAIN_TYPE = "text/plain";
/** Versions of OpenMetrics that the page is valid in. */
const VERSIONS = new Set([undefined, "1.0.0", "0.0.1"]);

/** OpenMetrics if the header asks for it and does not prefer plain text. */
export function formatFor(accept: string | undefined): Format {
  let [open, plain] = [0, 0];
  for (const text of (accept ?? "").split(",")) {
    const { type, parameters } = rangeOf(text);
    const quality = qualityOf(parameters.get("q"));
    if (type === OPEN_TYPE && VERSIONS.has(parameters.get("version"))) open = Math.max(open, quality);
    if (type === PLAIN_TYPE) plain = Math.max(plain, quality);
  }
  return open > 0 && open >= plain ? OPEN_METRICS : PLAIN;
}

function rangeOf(text: string): { type: string; parameters: Map<string, string> } {
  const [type = "", ...rest] = text.split(";").map((part) => part.trim().toLowerCase());
  const parameters = rest.map((part): [string, string] => {
    const at = part.indexOf("=");
    return [
      part.slice(0, at).trim(),
      part
        .slice(at + 1)
        .trim()
        .replaceAll('"', ""),
    ];
  });
  return { type, parameters: new Map(parameters) };
}

function qualityOf(text: string | undefined): number {
  const quality = text === undefined ? 1 : Number(text);
  return Number.isNaN(quality) ? 1 : quality;
}
