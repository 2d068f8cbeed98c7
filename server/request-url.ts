// Path and query of a request.

/** The URL of a request with a fixed host. The `Host` header may be missing (HTTP/1.0 health probes) or invalid. */
export function requestUrl(request: Request): URL {
  return new URL(`http://localhost${request.url.replace(/^https?:\/\/[^/?#]*/i, "")}`);
}
