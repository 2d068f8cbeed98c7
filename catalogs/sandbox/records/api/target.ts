// The parsed raw request target: segments and query parameters are decoded as UTF-8 and not normalised.
import { badAddress, Refusal } from "./refusal";

export interface Target {
  /** `meta`, `data`, `publish` or `bulk`. */
  readonly family: string;
  /** Decoded segments after the family. */
  readonly segments: readonly string[];
  /** Decoded, in order. */
  readonly query: readonly (readonly [string, string])[];
}

const FAMILIES = ["meta", "data", "publish", "bulk"];

/** Throws 404/1000 for an unknown address, 404/2930 for a route of another API version. */
export function targetOf(raw: string): Target {
  const [path = "", search = ""] = raw.split(/\?(.*)/s);
  const [root, product, version, family = "", ...segments] = path.split("/");
  if (root !== "" || product !== "creator" || version === undefined) throw badAddress();
  if (version !== "v2") {
    throw /^v\d/.test(version)
      ? new Refusal(404, 2930, "This version does not have this route.")
      : badAddress();
  }
  if (!FAMILIES.includes(family)) throw badAddress();
  const decoded = segments.map(decodeSegment);
  // A segment that a URL parser would drop is here only if the client builds addresses by hand.
  if (decoded.some((segment) => segment === "")) throw badAddress();
  return { family, segments: decoded, query: pairsOf(search) };
}

/** For the request log, for any address. */
export function looselyDecoded(raw: string): Pick<Target, "segments" | "query"> {
  const [path = "", search = ""] = raw.split(/\?(.*)/s);
  const segments = path.split("/").slice(1);
  return {
    segments: segments.map((segment) => {
      try {
        return decodeURIComponent(segment);
      } catch {
        return segment;
      }
    }),
    query: pairsOf(search),
  };
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw badAddress();
  }
}

/** `+` is a space. */
function pairsOf(search: string): [string, string][] {
  return [...new URLSearchParams(search)];
}
