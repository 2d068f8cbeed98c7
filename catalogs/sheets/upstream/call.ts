// One call of the platform as data: where it goes, what it counts as, and whether it may be sent twice.
import type { JsonObject } from "../../../src/tools";

export interface Call {
  /** The platform's own name of the method, for logs. */
  method: string;
  base: "sheets" | "drive" | "userinfo";
  verb: "GET" | "POST" | "PUT";
  /** Below the base, encoded. Empty: the base itself. */
  path: string;
  query?: Readonly<Record<string, string>>;
  body?: JsonObject;
  /** The budget that it comes out of; absent: none is kept. */
  quota?: "reads" | "writes";
  /** Sending it twice does it twice: never sent again when it may have been done. */
  once?: boolean;
  /** The scopes without which the platform must refuse it; empty where nobody knows. */
  scopes: readonly string[];
  /** It is about one file, which the user may have to open with the application first. */
  ofFile?: boolean;
}

/** A path segment: everything but the unreserved characters of RFC 3986 is encoded, once. */
export function segment(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Path and query as they are appended to the base's address. */
export function addressOf({ path, query }: Call): string {
  const pairs = Object.entries(query ?? {}).map(([name, value]) => `${segment(name)}=${segment(value)}`);
  return pairs.length === 0 ? path : `${path}?${pairs.join("&")}`;
}
