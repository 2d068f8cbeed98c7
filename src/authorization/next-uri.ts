// Where the browser may be sent at the end of a flow.
import { invalidParameter } from "../errors";

/**
 * The address, normalised. Absolute http(s) without user name; a deployment can pin it to a list of hosts.
 * Throws `invalid_parameter`.
 */
export function checkNextUri(text: string, allowedHosts: readonly string[]): string {
  // Browsers forgive further slashes before the host; other readers take them for an empty host.
  const url = /^https?:\/\/[^\s\\/?#][^\s\\]*$/i.test(text) ? URL.parse(text) : null;
  if (url === null) throw invalidParameter("next_uri must be an absolute http or https address.");
  if (url.username !== "" || url.password !== "") {
    throw invalidParameter("next_uri must not hold a user name or password.");
  }
  const listed = allowedHosts.some((host) => host.toLowerCase() === url.hostname);
  if (allowedHosts.length > 0 && !listed) {
    throw invalidParameter("next_uri leads to a host that redirects.allow does not list.");
  }
  return url.href;
}
