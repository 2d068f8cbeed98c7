// The address of a customer's verifier. Browsers are sent there with a flow id: plain http would show it to the network.
import { isLoopback } from "../base";
import { invalidParameter } from "../errors";

/**
 * The address, normalised. https, or http to this machine and to listed hosts; a deployment can pin it to the list.
 * Throws `invalid_parameter`.
 */
export function checkVerifierUrl(text: string, listed: readonly string[]): string {
  // Browsers forgive further slashes before the host; other readers take them for an empty host.
  const url = /^https?:\/\/[^\s\\/?#][^\s\\]*$/i.test(text) ? URL.parse(text) : null;
  if (url === null || url.username !== "" || url.password !== "" || url.hash !== "") {
    throw invalidParameter("verifier_url must be an absolute http or https address.");
  }
  const isListed = listed.some((host) => host.toLowerCase() === url.hostname);
  if (listed.length > 0 && !isListed) {
    throw invalidParameter("verifier_url leads to a host that redirects.allow does not list.");
  }
  if (url.protocol === "http:" && !isLoopback(url.hostname) && !isListed) {
    throw invalidParameter(
      "verifier_url must be https, or lead to this machine or a host of redirects.allow.",
    );
  }
  return url.href;
}
