// Path and query of a request.

/**
 * The address that was asked for, under a host of no meaning. What the caller said its host is may be missing
 * (HTTP/1.0 health probes) or no host at all, and nothing here depends on it.
 */
export function requestUrl(request: Request): URL {
  return new URL(`http://localhost${request.url.replace(/^https?:\/\/[^/?#]*/i, "")}`);
}
