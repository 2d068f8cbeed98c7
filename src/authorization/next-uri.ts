// Checks the address to which the browser is redirected at the end of a flow.
import { invalidParameter } from "../errors";
import { isListedOrigin } from "../origins";

/**
 * Returns the normalised address. It must be absolute http(s) without a user name; a deployment can restrict the origins.
 * Throws `invalid_parameter`.
 */
export function checkNextUri(text: string, allowed: readonly string[]): string {
  // Browsers ignore additional slashes before the host; other parsers read an empty host.
  const url = /^https?:\/\/[^\s\\/?#][^\s\\]*$/i.test(text) ? URL.parse(text) : null;
  if (url === null) throw invalidParameter("next_uri must be an absolute http or https address.");
  if (url.username !== "" || url.password !== "") {
    throw invalidParameter("next_uri must not contain a user name or password.");
  }
  if (allowed.length > 0 && !isListedOrigin(url, allowed)) {
    throw invalidParameter(
      "next_uri has an origin (scheme, host and port) that is not in redirects.allow. The operator can add it.",
    );
  }
  return url.href;
}
