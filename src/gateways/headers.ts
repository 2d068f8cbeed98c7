// Which headers of clients a gateway may pass on to MCP workers (`allowed_passthrough_headers`).

/** Headers with credentials for the gateway, and headers of one connection (RFC 9110, section 7.6.1). */
const KEPT_BACK: ReadonlySet<string> = new Set([
  "authorization",
  "connection",
  "cookie",
  "host",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  // Of one request and its body.
  "accept",
  "accept-encoding",
  "content-encoding",
  "content-length",
  "content-type",
  "expect",
  "last-event-id",
]);
/** Session, revision, method and parameters of the connection between client and gateway. */
const OF_PROTOCOL = /^mcp-/;

/** `name`: in lower case. */
export function isPassed(name: string): boolean {
  return !KEPT_BACK.has(name) && !OF_PROTOCOL.test(name);
}
