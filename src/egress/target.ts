// The target of a request: an absolute http(s) address, parsed once.
import { type Address, readAddress } from "./address";
import { addressRefused } from "./types";

export interface Target {
  url: URL;
  /** Lower case, without brackets and without a trailing dot. */
  host: string;
  /** The host, if it is an IP address. */
  literal: Address | undefined;
}

/**
 * Parses an address; a relative one needs `base`. `URL` normalizes every spelling of an IPv4 address (decimal, octal,
 * hexadecimal, short, full-width) to four decimal parts. Throws `EgressError` `address_refused`; the message does not
 * repeat the text, which may contain a secret.
 */
export function parseTarget(text: string | URL, base?: URL): Target {
  const url = text instanceof URL ? text : URL.parse(text, base?.href);
  if (url === null || url.hostname === "")
    throw addressRefused("The address is not an absolute http(s) address.");
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw addressRefused("The address does not start with https:// or http://.");
  if (url.username !== "" || url.password !== "") {
    throw addressRefused(
      `The address of ${url.host} contains a user name or a password. Send them in a header instead.`,
    );
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
  return { url, host, literal: readAddress(host) };
}

/** A target as messages name it: without path, query and user. */
export function nameOf(target: Target): string {
  return target.url.origin;
}
