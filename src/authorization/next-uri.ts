// Checks the address to which the browser is redirected at the end of a flow.
import { invalidParameter } from "../errors";

/**
 * Returns the normalised address. It must be absolute http(s) without a user name; a deployment can restrict the hosts.
 * Throws `invalid_parameter`.
 */
export function checkNextUri(text: string, allowedHosts: readonly string[]): string {
  // Browsers ignore additional slashes before the host; other parsers read an empty host.
  const url = /^https?:\/\/[^\s\\/?#][^\s\\]*$/i.test(text) ? URL.parse(text) : null;
  if (url === null) throw invalidParameter("next_uri must be an absolute http or https address.");
  if (url.username !== "" || url.password !== "") {
    throw invalidParameter("next_uri must not contain a user name or password.");
  }
  const listed = allowedHosts.some((host) => host.toLowerCase() === url.hostname);
  if (allowedHosts.length > 0 && !listed) {
    throw invalidParameter("next_uri has a host that is not in redirects.allow.");
  }
  return url.href;
}
