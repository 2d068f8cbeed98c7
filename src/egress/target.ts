// Where a request goes: an absolute http(s) address, read once.
import { type Address, readAddress } from "./address";
import { EgressError } from "./types";

export interface Target {
  url: URL;
  /** Lower case, no brackets, no dot at the end. */
  host: string;
  /** The host when it is an address itself. */
  literal: Address | undefined;
}

/**
 * Reads an address; a relative one needs `base`. `URL` turns every spelling of an IPv4 address (decimal, octal,
 * hexadecimal, short, full-width) into four decimal parts. Throws `EgressError` `address_refused`, whose message does
 * not repeat the text: it may hold a secret.
 */
export function parseTarget(text: string | URL, base?: URL): Target {
  const url = text instanceof URL ? text : URL.parse(text, base?.href);
  if (url === null || url.hostname === "") {
    throw refused("The address is not an absolute http(s) address.");
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw refused("Only addresses that begin with https:// or http:// are called.");
  }
  if (url.username !== "" || url.password !== "") {
    throw refused(
      `The address of ${url.host} holds a user name or a password. Send them in a header instead.`,
    );
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
  return { url, host, literal: literalOf(host) };
}

/** Hosts that are addresses, and those that are none. Few, and asked about with every request. */
const literals = new Map<string, Address | undefined>();
const MOST_LITERALS = 1000;

function literalOf(host: string): Address | undefined {
  const known = literals.get(host);
  if (known !== undefined || literals.has(host)) return known;
  const read = readAddress(host);
  if (literals.size >= MOST_LITERALS) literals.clear();
  literals.set(host, read);
  return read;
}

/** How messages name a target: never with path, query or user. */
export function nameOf(target: Target): string {
  return target.url.origin;
}

function refused(message: string): EgressError {
  return new EgressError("address_refused", message, { maybeSent: false });
}
