// Which addresses a client may be answered at: https, loopback with any port, and schemes that belong to a program on the
// person's machine (RFC 8252, section 7).
import { isLoopback } from "../../base";

const MAX_LENGTH = 500;
const MOST = 10;
/** Schemes that browsers run or show themselves, or that reach other programs than the client. */
const REFUSED = [
  "about",
  "blob",
  "chrome",
  "data",
  "file",
  "filesystem",
  "ftp",
  "intent",
  "jar",
  "javascript",
  "mailto",
  "sms",
  "tel",
  "vbscript",
  "view-source",
  "ws",
  "wss",
];

/** Why these addresses cannot be registered, as a clause; undefined if they can. */
export function redirectFault(uris: unknown): string | undefined {
  if (!Array.isArray(uris) || uris.length === 0) return "redirect_uris must be a list with an address";
  if (uris.length > MOST) return `redirect_uris may have ${MOST} addresses`;
  for (const uri of uris) {
    const fault = typeof uri === "string" ? faultOf(uri) : "must be texts";
    if (fault !== undefined) return `redirect_uris ${fault}`;
  }
  return undefined;
}

function faultOf(uri: string): string | undefined {
  if (uri.length > MAX_LENGTH) return `may have ${MAX_LENGTH} characters`;
  // The parser removes some of these.
  if (!/^[\x21-\x7e]+$/.test(uri)) return "must be addresses without spaces";
  const url = URL.parse(uri);
  if (url === null) return "must be absolute addresses";
  if (uri.includes("#")) return "must not have a fragment";
  if (url.username !== "" || url.password !== "") return "must not have a user name";
  const scheme = url.protocol.slice(0, -1);
  if (REFUSED.includes(scheme)) return `must not have the scheme ${scheme}`;
  if (scheme === "http" && !isLoopback(url.hostname))
    return "must have https, except at localhost, 127.0.0.1 and [::1]";
  if (scheme === "https" && isLoopback(url.hostname)) return "must have http at localhost";
  return undefined;
}

/** `native`: the client listens on the person's machine, on a port that it does not know in advance. */
export function applicationType(uris: readonly string[]): "native" | "web" {
  return uris.every((uri) => uri.startsWith("https:")) ? "web" : "native";
}
