// One call of the platform as data: its request, its quota, and whether it may be retried.
import type { JsonObject } from "../../../src/tools";

export interface Call {
  /** The platform's name of the method, for logs. */
  method: string;
  base: "sheets" | "drive" | "userinfo";
  verb: "GET" | "POST" | "PUT";
  /** Relative to the base, encoded. Empty: the base itself. */
  path: string;
  query?: Readonly<Record<string, string>>;
  body?: JsonObject;
  /** The quota that it uses; absent: not counted. */
  quota?: "reads" | "writes";
  /** A second request would do the work twice: never sent again if it may have succeeded. */
  once?: boolean;
  /** The required scopes; empty if they are not known. */
  scopes: readonly string[];
  /** It accesses one file, which the user may have to open with the application first. */
  ofFile?: boolean;
  /** The file's id. */
  fileId?: string;
}

/** A path segment: encodes everything except the unreserved characters of RFC 3986. */
export function segment(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Path and query, relative to the base. */
export function addressOf({ path, query }: Call): string {
  const pairs = Object.entries(query ?? {}).map(([name, value]) => `${segment(name)}=${segment(value)}`);
  return pairs.length === 0 ? path : `${path}?${pairs.join("&")}`;
}
