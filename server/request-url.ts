// Path and query of a request.

const NOWHERE = "http://localhost/";

/** The URL of a request with a fixed host. The `Host` header may be missing (HTTP/1.0 health probes) or invalid. */
export function requestUrl(request: Request): URL {
  // `CONNECT` has a host and a port in place of a path (RFC 9110, section 9.3.6), which is not served.
  return URL.parse(`http://localhost${request.url.replace(/^https?:\/\/[^/?#]*/i, "")}`) ?? new URL(NOWHERE);
}
